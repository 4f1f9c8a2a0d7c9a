// SPDX-License-Identifier: Apache-2.0
/**
 * The locks of a strategy as operators see them, from outside: who holds one, who waits for it, and how to free it. A
 * strategy registers a {@link dev.interlock.redis.inspect.LockInspectionProvider}. No owner token leaves a strategy
 * through this package.
 */
@NullMarked
package dev.interlock.redis.inspect;

import org.jspecify.annotations.NullMarked;
