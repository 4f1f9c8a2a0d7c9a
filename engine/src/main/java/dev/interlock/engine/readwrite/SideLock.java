// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.readwrite;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.protocol.LockSide.Access;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * One side of a read/write lock. Each thread and each handle has an engine lock of its own, so that readers of one
 * client do not wait for each other; the backend decides who may hold one at the same time.
 */
final class SideLock implements DistributedLock {
    private final ReadWriteLocks locks;
    private final Access access;
    private final String name;
    private final LockOptions options;

    SideLock(ReadWriteLocks locks, Access access, String name, LockOptions options) {
        this.locks = locks;
        this.access = access;
        this.name = name;
        this.options = options;
    }

    private DistributedLock ofThread() {
        return locks.ofThread(access, name, options);
    }

    private DistributedLock ofHandle() {
        return locks.ofHandle(access, name, options);
    }

    /** The lock for a thread that may have to wait. */
    private DistributedLock ofWaitingThread() {
        if (isUpgrade()) {
            throw upgradeRefused();
        }
        return ofThread();
    }

    /** The lock for a handle for which the current thread may have to wait. */
    private DistributedLock ofAwaitedHandle() {
        if (access == Access.WRITE) {
            if (locks.isHeld(Access.WRITE, name)) {
                throw new IllegalStateException("the current thread holds the write lock of \"" + name
                        + "\" and would wait for itself; use lease() to look at its own hold");
            }
            if (isUpgrade()) {
                throw upgradeRefused();
            }
        }
        return ofHandle();
    }

    /**
     * Returns whether the current thread holds the read lock and asks for the write lock, so that it would wait for
     * itself.
     */
    private boolean isUpgrade() {
        return access == Access.WRITE && !locks.isHeld(Access.WRITE, name) && locks.isHeld(Access.READ, name);
    }

    private IllegalStateException upgradeRefused() {
        return new IllegalStateException(
                "the current thread holds the read lock of \"" + name
                        + "\" and would wait for itself: unlock the read lock before the write lock is acquired, and check again what was read");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock() {
        ofWaitingThread().lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        ofWaitingThread().lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return !isUpgrade() && ofThread().tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return ofWaitingThread().tryLock(time, unit);
    }

    @Override
    public void unlock() {
        ofThread().unlock();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("the sides of a distributed read/write lock have no conditions");
    }

    @Override
    public Condition condition(String conditionName) {
        return newCondition();
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        return ofAwaitedHandle().acquire();
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        return ofAwaitedHandle().tryAcquire();
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        return ofAwaitedHandle().tryAcquire(wait);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        return ofHandle().acquireAsync();
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return ofHandle().tryAcquireAsync(wait);
    }

    @Override
    public DistributedLock withLease(Duration lease) {
        return new SideLock(
                locks, access, name, options.toBuilder().lease(lease).build());
    }

    @Override
    public boolean isLocked() {
        return ofThread().isLocked();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return ofThread().isHeldByCurrentThread();
    }

    @Override
    public int getHoldCount() {
        return ofThread().getHoldCount();
    }

    @Override
    public Optional<Lease> lease() {
        return ofThread().lease();
    }

    /** Shows the name and the side. */
    @Override
    public String toString() {
        return "DistributedReadWriteLock[" + name + "]." + access.name().toLowerCase(Locale.ROOT) + "Lock";
    }
}
