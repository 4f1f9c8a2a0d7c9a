// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The lock of one name with the options of whoever asked for it; all state is the engine's. */
final class EngineLock implements DistributedLock {
    private final LockEngine engine;
    private final String name;
    private final LockOptions options;

    EngineLock(LockEngine engine, String name, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.options = options;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock() {
        acquireIgnoringInterrupts(Waiting.uninterruptibly(engine.environment()));
    }

    @Override
    public boolean tryLock() {
        return acquireIgnoringInterrupts(Waiting.notAtAll(engine.environment()));
    }

    private boolean acquireIgnoringInterrupts(Waiting waiting) {
        try {
            return engine.acquire(name, options, currentThread(), waiting) != null;
        } catch (InterruptedException e) {
            throw new AssertionError("this wait is not interruptible", e);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        engine.acquire(name, options, currentThread(), Waiting.interruptibly(engine.environment()));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Waiting waiting = Waiting.atMost(engine.environment(), unit.toNanos(time));
        return engine.acquire(name, options, currentThread(), waiting) != null;
    }

    @Override
    public void unlock() {
        engine.tenures().unlock(name);
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        Waiting waiting = Waiting.interruptibly(engine.environment());
        return new Handle(engine.tenures(), Objects.requireNonNull(acquireHandle(waiting)));
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        Waiting waiting = Waiting.atMost(engine.environment(), wait);
        return Optional.ofNullable(acquireHandle(waiting)).map(tenure -> new Handle(engine.tenures(), tenure));
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        try {
            return Optional.ofNullable(acquireHandle(Waiting.notAtAll(engine.environment())))
                    .map(tenure -> new Handle(engine.tenures(), tenure));
        } catch (InterruptedException e) {
            throw new AssertionError("this wait is not interruptible", e);
        }
    }

    @Override
    public DistributedLock withLease(Duration lease) {
        return new EngineLock(engine, name, options.toBuilder().lease(lease).build());
    }

    @Override
    public boolean isLocked() {
        engine.requireOpen();
        return Waiting.undisturbed(() -> engine.protocol().isLocked(name));
    }

    private @Nullable Tenure acquireHandle(Waiting waiting) throws InterruptedException {
        return engine.acquire(name, options, Owner.HANDLE, waiting);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return engine.tenures().current(name) != null;
    }

    @Override
    public int getHoldCount() {
        return engine.tenures().holdCount(name);
    }

    @Override
    public Optional<Lease> lease() {
        return Optional.ofNullable(engine.tenures().current(name));
    }

    private static Owner currentThread() {
        return new Owner(Thread.currentThread());
    }

    /** Shows the name and whether the current thread holds the lock. */
    @Override
    public String toString() {
        int holds = getHoldCount();
        return "DistributedLock[" + name + (holds == 0 ? "" : ", held " + holds + " times by this thread") + "]";
    }

    /** A tenure that belongs to no thread, with the right to end it. */
    private static final class Handle implements LockHandle {
        private final Tenures tenures;
        private final Tenure tenure;

        Handle(Tenures tenures, Tenure tenure) {
            this.tenures = tenures;
            this.tenure = tenure;
        }

        @Override
        public String lockName() {
            return tenure.lockName();
        }

        @Override
        public OptionalLong fencingToken() {
            return tenure.fencingToken();
        }

        @Override
        public boolean isValid() {
            return tenure.isValid();
        }

        @Override
        public Duration remaining() {
            return tenure.remaining();
        }

        @Override
        public void ensureValid(Duration atLeast) {
            tenure.ensureValid(atLeast);
        }

        @Override
        public Registration onLoss(Consumer<? super LossCause> action) {
            return tenure.onLoss(action);
        }

        @Override
        public void close() {
            tenures.closeHandle(tenure);
        }

        @Override
        public String toString() {
            return tenure.toString();
        }
    }
}
