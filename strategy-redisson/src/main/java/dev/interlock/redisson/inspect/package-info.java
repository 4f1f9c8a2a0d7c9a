// SPDX-License-Identifier: Apache-2.0
/** Locks of Redisson as operators see them, from outside. */
@NullMarked
package dev.interlock.redisson.inspect;

import org.jspecify.annotations.NullMarked;
