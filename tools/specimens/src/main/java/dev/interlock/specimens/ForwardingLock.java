// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Passes everything on; subclasses spoil a part. */
public class ForwardingLock implements DistributedLock {
    protected final DistributedLock correct;

    public ForwardingLock(DistributedLock correct) {
        this.correct = correct;
    }

    /** The lease that is shown for a correct one, be it that of a thread or that of a handle. */
    protected Lease spoil(Lease lease) {
        return lease;
    }

    /** The handle that is handed out for a correct one; shows the spoiled lease, and closes rightly. */
    protected LockHandle spoil(LockHandle handle) {
        Lease shown = spoil((Lease) handle);
        return shown.equals(handle) ? handle : new ForwardingHandle(shown, handle);
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
    public LockHandle acquire() throws InterruptedException {
        return spoil(correct.acquire());
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        return correct.tryAcquire(wait).map(this::spoil);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        return spoil(correct.acquireAsync(), this::spoil, LockHandle::close);
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return spoil(
                correct.tryAcquireAsync(wait),
                lease -> lease.map(this::spoil),
                lease -> lease.ifPresent(LockHandle::close));
    }

    /** Passes what the correct lock answers on, and a cancellation back. */
    private static <T> CompletionStage<T> spoil(CompletionStage<T> correct, UnaryOperator<T> spoil, Consumer<T> close) {
        CompletableFuture<T> spoiled = new CompletableFuture<>();
        correct.whenComplete((lease, failure) -> {
            if (failure != null) {
                spoiled.completeExceptionally(failure);
            } else if (!spoiled.complete(spoil.apply(lease))) {
                close.accept(lease);
            }
        });
        spoiled.whenComplete((lease, failure) -> correct.toCompletableFuture().cancel(true));
        return spoiled;
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
