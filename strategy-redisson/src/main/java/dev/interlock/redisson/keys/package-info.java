// SPDX-License-Identifier: Apache-2.0
/** How Redisson calls the keys and channels of its locks, and where a cluster keeps them. */
@NullMarked
package dev.interlock.redisson.keys;

import org.jspecify.annotations.NullMarked;
