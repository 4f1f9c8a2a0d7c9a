// SPDX-License-Identifier: Apache-2.0
/** The scripts that servers carry out for locks and read/write locks. */
@NullMarked
package dev.interlock.redisson.scripts;

import org.jspecify.annotations.NullMarked;
