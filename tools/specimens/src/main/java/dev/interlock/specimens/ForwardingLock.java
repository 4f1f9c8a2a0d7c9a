// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Passes everything on; subclasses spoil a part. */
public class ForwardingLock implements DistributedLock {
    protected final DistributedLock correct;

    public ForwardingLock(DistributedLock correct) {
        this.correct = correct;
    }

    /** The lease that is handed out for a correct one. */
    protected Lease spoil(Lease lease) {
        return lease;
    }

    @Override
    public String name() {
        return correct.name();
    }

    @Override
    public void lock() {
        correct.lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        correct.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return correct.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return correct.tryLock(time, unit);
    }

    @Override
    public void unlock() {
        correct.unlock();
    }

    @Override
    public Condition newCondition() {
        return correct.newCondition();
    }

    @Override
    public Lease acquire() throws InterruptedException {
        return spoil(correct.acquire());
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return correct.tryAcquire(wait).map(this::spoil);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return correct.isHeldByCurrentThread();
    }

    @Override
    public int holdCount() {
        return correct.holdCount();
    }

    @Override
    public Optional<Lease> lease() {
        return correct.lease().map(this::spoil);
    }

    @Override
    public String toString() {
        return correct.toString();
    }
}
