// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A {@link ReadWriteLock} for threads on all machines that use the same backend, strategy and name: many may hold the
 * read lock at once, and whoever holds the write lock holds it alone.
 *
 * <p>Each side is a {@link DistributedLock} and behaves as that says: each reader and each writer has a lease of its
 * own, which is renewed, lost and told by itself. The differences are described here.
 *
 * <h2>Phases</h2>
 *
 * With a strategy that declares {@link Capability#READ_WRITE_FAIR}, reading and writing take turns while both sides are
 * wanted, over all clients. When a writer unlocks, all who wait to read at that moment get the read lock together.
 * While somebody waits to write, nobody new begins to read; when the last reader has unlocked, the writer that came
 * first gets the write lock. So a reader waits for at most one writer, behind the readers or the writer that it found
 * there. A writer waits for the writers that came before it, and for one phase of readers before each of them and
 * itself. Neither {@link DistributedLock#tryLock()} nor a new acquisition in the same process overtakes those who wait.
 *
 * <p>With other strategies a reader gets the read lock whenever nobody writes, and a writer the write lock whenever
 * nobody holds either side, in no order: readers that overlap keep writers out for as long as they do.
 *
 * <p>A holder that stands still holds up the others until its lease ends, and no longer.
 *
 * <h2>Re-entry, downgrade, upgrade</h2>
 *
 * A thread may lock again each side that it holds, which costs no I/O. A thread that holds the write lock may acquire
 * the read lock, and then unlock the write lock: it goes on reading, and no writer comes between. A thread that holds
 * the read lock and not the write lock cannot acquire the write lock: it would wait for itself.
 * {@link DistributedLock#tryLock()} of the write lock returns {@code false} then, and all other blocking acquisitions
 * throw {@link IllegalStateException} at once. A thread that holds either side may acquire further read locks, for
 * handles too, without waiting for those who wait to write. Handles and stages belong to no thread: one that keeps a
 * handle of either side, and waits for either side, may wait for as long as the lease of that handle; and a stage that
 * a thread asks for while it holds a side waits like anybody else's.
 *
 * <h2>Fencing tokens</h2>
 *
 * The token of a writer is larger than those of all writers before it. A reader is given the token of the last writer
 * before it, so that readers between the same two writers share one. A store that remembers the largest token it has
 * seen, and refuses smaller ones, thus refuses late writers, and also readers whose lease was over before somebody
 * wrote since.
 *
 * <h2>Differences from a single lock</h2>
 *
 * Every thread asks the backend for itself, so that {@link LockListener} hears of no local queue and of no local
 * hand-off. An acquisition for a handle does not tell the current thread that it has lost the lock; its next call for
 * itself does. A loss is told to the side that was lost. {@link java.util.concurrent.locks.Lock#newCondition()
 * newCondition()} is supported by neither side.
 *
 * <p>Read/write locks are safe to use from any thread.
 *
 * @see Capability#READ_WRITE
 * @see Capability#READ_WRITE_FAIR
 * @see Capability#READ_WRITE_APART
 */
public interface DistributedReadWriteLock extends ReadWriteLock {
    /**
     * Returns the name of this lock, which is also that of its sides.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the lock for reading. Its {@link DistributedLock#isLocked()} tells whether anybody reads, and {@link
     * DistributedLock#withLease(Duration)} returns a view of this side.
     *
     * @return the side that many may hold at once
     */
    @Override
    DistributedLock readLock();

    /**
     * Returns the lock for writing. Its {@link DistributedLock#isLocked()} tells whether anybody writes, and {@link
     * DistributedLock#withLease(Duration)} returns a view of this side.
     *
     * @return the side that excludes everybody else
     */
    @Override
    DistributedLock writeLock();
}
