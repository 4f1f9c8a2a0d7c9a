// SPDX-License-Identifier: Apache-2.0
/**
 * The strategy {@code redisson}: the lock of Redisson, which excludes and wakes plain {@code RLock}s of the same name,
 * with the contract of {@link dev.interlock.DistributedLock}.
 */
@NullMarked
package dev.interlock.redisson;

import org.jspecify.annotations.NullMarked;
