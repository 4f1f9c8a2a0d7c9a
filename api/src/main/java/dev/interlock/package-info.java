// SPDX-License-Identifier: Apache-2.0
/**
 * A {@link java.util.concurrent.locks.Lock} across machines, with interchangeable algorithms behind it.
 *
 * <p>A program asks {@link dev.interlock.DistributedLocks} for a {@link dev.interlock.DistributedLockFactory} by the
 * name of a <em>strategy</em> (an algorithm such as {@code "set-nx-px"}), and the factory for a
 * {@link dev.interlock.DistributedLock} by the name of what is to be protected. A strategy is supplied by a
 * {@link dev.interlock.spi.LockStrategyProvider}, which is found by {@link java.util.ServiceLoader}.
 *
 * <p>Every lock here is a <em>lease</em>: it ends by itself when its holder can no longer be heard of. A holder that is
 * stopped for longer than its lease (a garbage collection, a suspended machine, a broken network) may go on while
 * another holds the lock. No lock of this kind can exclude that by itself; a store that compares
 * {@linkplain dev.interlock.Lease#fencingToken() fencing tokens} can.
 *
 * <p>Unless stated otherwise, passing {@code null} to a method or constructor of this package throws
 * {@link NullPointerException} before anything else happens.
 */
@NullMarked
package dev.interlock;

import org.jspecify.annotations.NullMarked;
