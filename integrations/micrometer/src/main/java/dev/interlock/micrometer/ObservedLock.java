// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.micrometer.AcquisitionContext.Wait;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;

/**
 * A lock whose acquisitions and holds are observed.
 *
 * <p>Does not ask before an acquisition whether the current thread holds the lock: the answer would report a loss to
 * the thread, and the acquisition would acquire the lock afresh instead of throwing.
 */
final class ObservedLock implements DistributedLock {
    private final DistributedLock lock;
    private final ObservationFactory observations;
    private final ThreadHolds holds;

    /** An acquisition for the current thread. */
    private interface Attempt<E extends Exception> {
        boolean run() throws E;
    }

    /** An acquisition for a handle. */
    private interface HandleAttempt<E extends Exception> {
        Optional<LockHandle> run() throws E;
    }

    ObservedLock(DistributedLock lock, ObservationFactory observations, ThreadHolds holds) {
        this.lock = lock;
        this.observations = observations;
        this.holds = holds;
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public List<String> names() {
        return lock.names();
    }

    @Override
    public void lock() {
        acquire(Wait.UNBOUNDED, () -> {
            lock.lock();
            return true;
        });
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        acquire(Wait.UNBOUNDED, () -> {
            lock.lockInterruptibly();
            return true;
        });
    }

    @Override
    public boolean tryLock() {
        return acquire(Wait.NONE, lock::tryLock);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return acquire(time > 0 ? Wait.BOUNDED : Wait.NONE, () -> lock.tryLock(time, unit));
    }

    private <E extends Exception> boolean acquire(Wait wait, Attempt<E> attempt) throws E {
        if (holds.isHeld(name())) {
            boolean entered = attempt.run();
            if (entered) {
                holds.enter(name());
            }
            return entered;
        }
        ObservedAcquisition acquisition = observations.acquisition(name(), wait).here();
        Optional<Lease> granted;
        try {
            granted = attempt.run() ? Optional.of(granted()) : Optional.empty();
        } catch (Throwable e) {
            acquisition.threw(e);
            throw e;
        }
        if (granted.isEmpty()) {
            acquisition.taken();
            return false;
        }
        Lease lease = granted.get();
        acquisition.acquired(lease.fencingToken());
        if (holds.isHeld(name())) {
            // The loss was not known before the call, for example because the machine was suspended.
            holds.enter(name());
        } else {
            holds.begin(lease, observations.hold(lease, acquisition.parent()));
        }
        return true;
    }

    /** Returns the lease that the current thread was granted. If it is over by now, the acquisition has failed. */
    private Lease granted() {
        Optional<Lease> lease = lock.lease();
        if (lease.isEmpty()) {
            // This throws if the lock was lost.
            lock.unlock();
            throw new LockBackendException(
                    LockBackendException.Reason.OUTCOME_UNKNOWN,
                    "lock \"" + name() + "\" was acquired, and nobody knows whether it is still held");
        }
        return lease.get();
    }

    @Override
    public void unlock() {
        try {
            lock.unlock();
        } catch (LeaseLostException e) {
            holds.forget(name());
            throw e;
        }
        holds.exit(name());
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        return acquireHandle(Wait.UNBOUNDED, () -> Optional.of(lock.acquire())).orElseThrow();
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        return acquireHandle(Wait.NONE, lock::tryAcquire);
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        return acquireHandle(kind(wait), () -> lock.tryAcquire(wait));
    }

    private static Wait kind(Duration wait) {
        return wait.isNegative() || wait.isZero() ? Wait.NONE : Wait.BOUNDED;
    }

    private <E extends Exception> Optional<LockHandle> acquireHandle(Wait wait, HandleAttempt<E> attempt) throws E {
        ObservedAcquisition acquisition = observations.acquisition(name(), wait).here();
        Optional<LockHandle> handle;
        try {
            handle = attempt.run();
        } catch (Throwable e) {
            acquisition.threw(e);
            throw e;
        }
        return observed(acquisition, handle);
    }

    private Optional<LockHandle> observed(ObservedAcquisition acquisition, Optional<LockHandle> granted) {
        if (granted.isEmpty()) {
            acquisition.taken();
            return granted;
        }
        LockHandle handle = granted.get();
        acquisition.acquired(handle.fencingToken());
        return Optional.of(new ObservedHandle(handle, observations.hold(handle, acquisition.parent())));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        ObservedAcquisition acquisition = observations.acquisition(name(), Wait.UNBOUNDED);
        return relay(acquisition, lock.acquireAsync(), Optional::of, Optional::orElseThrow);
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        ObservedAcquisition acquisition = observations.acquisition(name(), kind(wait));
        return relay(acquisition, lock.tryAcquireAsync(wait), granted -> granted, granted -> granted);
    }

    /**
     * Returns a stage that completes like the given one, with an observed handle, and that cancels the given stage if
     * it is completed by others.
     */
    private <T> CompletionStage<T> relay(
            ObservedAcquisition acquisition,
            CompletionStage<T> source,
            Function<T, Optional<LockHandle>> granted,
            Function<Optional<LockHandle>, T> result) {
        CompletableFuture<T> relayed = new Relay<>(source.toCompletableFuture());
        source.whenComplete((value, failure) -> {
            if (failure != null) {
                acquisition.threw(failure);
                relayed.completeExceptionally(failure);
                return;
            }
            Optional<LockHandle> handle = observed(acquisition, granted.apply(value));
            if (!relayed.complete(result.apply(handle))) {
                handle.ifPresent(LockHandle::close);
            }
        });
        // Covers completions that do not go through the methods of the stage, such as completeAsync.
        relayed.whenComplete((value, failure) -> source.toCompletableFuture().cancel(false));
        return relayed;
    }

    /**
     * Cancels the acquisition before its own dependents run, which may block: a dependent that was added first runs
     * last.
     */
    private static final class Relay<T> extends CompletableFuture<T> {
        private final CompletableFuture<?> source;

        Relay(CompletableFuture<?> source) {
            this.source = source;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            source.cancel(mayInterruptIfRunning);
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public boolean complete(T value) {
            source.cancel(false);
            return super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            source.cancel(false);
            return super.completeExceptionally(failure);
        }
    }

    @Override
    public DistributedLock withLease(Duration lease) {
        return new ObservedLock(lock.withLease(lease), observations, holds);
    }

    @Override
    public boolean isLocked() {
        return lock.isLocked();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return lock.isHeldByCurrentThread();
    }

    @Override
    public int getHoldCount() {
        return lock.getHoldCount();
    }

    @Override
    public Optional<Lease> lease() {
        return lock.lease();
    }

    @Override
    public Condition newCondition() {
        return new ObservedCondition(lock.newCondition());
    }

    @Override
    public Condition condition(String name) {
        return new ObservedCondition(lock.condition(name));
    }

    /** A condition whose waits end one hold and begin another. Its callers wait in loops. */
    @SuppressWarnings("WaitNotInLoop")
    private final class ObservedCondition implements Condition {
        private final Condition condition;

        ObservedCondition(Condition condition) {
            this.condition = condition;
        }

        /** One call that waits. */
        private interface Waiting<T, E extends Exception> {
            T run() throws E;
        }

        private <T, E extends Exception> T await(Waiting<T, E> waiting) throws E {
            int count = holds.leave(name());
            try {
                return waiting.run();
            } finally {
                if (count > 0) {
                    lock.lease().ifPresent(lease -> holds.comeBack(lease, observations.hold(lease, null), count));
                }
            }
        }

        @Override
        public void await() throws InterruptedException {
            this.<Boolean, InterruptedException>await(() -> {
                condition.await();
                return true;
            });
        }

        @Override
        public void awaitUninterruptibly() {
            this.<Boolean, RuntimeException>await(() -> {
                condition.awaitUninterruptibly();
                return true;
            });
        }

        @Override
        public long awaitNanos(long nanosTimeout) throws InterruptedException {
            return this.<Long, InterruptedException>await(() -> condition.awaitNanos(nanosTimeout));
        }

        @Override
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            return this.<Boolean, InterruptedException>await(() -> condition.await(time, unit));
        }

        @Override
        public boolean awaitUntil(Date deadline) throws InterruptedException {
            return this.<Boolean, InterruptedException>await(() -> condition.awaitUntil(deadline));
        }

        @Override
        public void signal() {
            condition.signal();
        }

        @Override
        public void signalAll() {
            condition.signalAll();
        }

        @Override
        public String toString() {
            return condition.toString();
        }
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
