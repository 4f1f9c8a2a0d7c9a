// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Adapts a plain lock to the interface that the rules use. The calls of {@link Lock} are passed on unchanged. */
final class PlainLock implements DistributedLock {
    private final String name;
    private final Lock lock;
    private final HoldCounts holds;
    private final @Nullable ToIntFunction<Lock> holdCount;

    PlainLock(String name, Lock lock, HoldCounts holds, @Nullable ToIntFunction<Lock> holdCount) {
        this.name = name;
        this.lock = lock;
        this.holds = holds;
        this.holdCount = holdCount;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock() {
        lock.lock();
        holds.locked();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock.lockInterruptibly();
        holds.locked();
    }

    @Override
    public boolean tryLock() {
        return counted(lock.tryLock());
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return counted(lock.tryLock(time, unit));
    }

    private boolean counted(boolean locked) {
        if (locked) {
            holds.locked();
        }
        return locked;
    }

    @Override
    public void unlock() {
        lock.unlock();
        holds.unlocked();
    }

    @Override
    public Condition newCondition() {
        return lock.newCondition();
    }

    @Override
    public Condition condition(String name) {
        throw new UnsupportedOperationException("a plain lock has no conditions with names");
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        return CarriedHold.acquire(this, () -> {
                    lockInterruptibly();
                    return true;
                })
                .orElseThrow();
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        long nanos = saturated(wait);
        return CarriedHold.acquire(this, () -> tryLock(nanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        throw new UnsupportedOperationException("a plain lock is acquired by the thread that calls");
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        throw new UnsupportedOperationException("a plain lock is acquired by the thread that calls");
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        boolean interrupted = Thread.interrupted();
        try {
            return CarriedHold.acquire(this, this::tryLock);
        } catch (InterruptedException e) {
            interrupted = true;
            return Optional.empty();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A plain lock is held for as long as it is not unlocked. */
    @Override
    public DistributedLock withLease(Duration lease) {
        return this;
    }

    @Override
    public boolean isLocked() {
        throw new UnsupportedOperationException("a plain lock cannot be asked whether anybody holds it");
    }

    private static long saturated(Duration wait) {
        try {
            return wait.toNanos();
        } catch (ArithmeticException e) {
            return wait.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return getHoldCount() > 0;
    }

    @Override
    public int getHoldCount() {
        return holdCount == null ? holds.ofCurrentThread() : holdCount.applyAsInt(lock);
    }

    @Override
    public Optional<Lease> lease() {
        return Optional.empty();
    }

    @Override
    public String toString() {
        return name + ": " + lock;
    }
}
