// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Forwards every call to a correct lock. Subclasses break one method. */
public class ForwardingLock implements DistributedLock {
    protected final DistributedLock correct;

    public ForwardingLock(DistributedLock correct) {
        this.correct = correct;
    }

    /** Wraps the correct lease of a thread or of a handle in the broken one. */
    protected Lease spoil(Lease lease) {
        return lease;
    }

    /** Wraps a correct handle: it shows the broken lease, and closes correctly. */
    protected LockHandle spoil(LockHandle handle) {
        Lease shown = spoil((Lease) handle);
        return shown.equals(handle) ? handle : new ForwardingHandle(shown, handle);
    }

    @Override
    public String name() {
        return correct.name();
    }

    @Override
    public List<String> names() {
        return correct.names();
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
    public Condition condition(String name) {
        return correct.condition(name);
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        return spoil(correct.acquire());
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        return correct.tryAcquire(wait).map(this::spoil);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        return ForwardingStage.of(correct.acquireAsync(), this::spoil, LockHandle::close);
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return ForwardingStage.of(
                correct.tryAcquireAsync(wait),
                lease -> lease.map(this::spoil),
                lease -> lease.ifPresent(LockHandle::close));
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        return correct.tryAcquire().map(this::spoil);
    }

    @Override
    public DistributedLock withLease(Duration lease) {
        return correct.withLease(lease);
    }

    @Override
    public boolean isLocked() {
        return correct.isLocked();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return correct.isHeldByCurrentThread();
    }

    @Override
    public int getHoldCount() {
        return correct.getHoldCount();
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
