// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.threads.Wait;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** The lock of one name with the options of whoever asked for it; all state is the engine's. */
final class EngineLock implements DistributedLock, AsyncAcquisition.Target {
    private final LockEngine engine;
    private final String name;
    private final LockOptions options;

    EngineLock(LockEngine engine, String name, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.options = options;
    }

    private Environment env() {
        return engine.core().environment();
    }

    private Holds holds() {
        return engine.core().holds();
    }

    /** The factory is not to be taken for dropped while a thread waits here. */
    private @Nullable Hold acquire(boolean forThread, Wait wait) throws InterruptedException {
        try {
            return engine.core().acquisitions().acquire(name, options, forThread, wait);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private @Nullable Hold acquireIgnoringInterrupts(Wait wait) {
        try {
            return acquire(true, wait);
        } catch (InterruptedException e) {
            throw new AssertionError("this wait is not interruptible", e);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock() {
        acquireIgnoringInterrupts(Wait.uninterruptibly(env()));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        acquire(true, Wait.interruptibly(env()));
    }

    @Override
    public boolean tryLock() {
        return acquireIgnoringInterrupts(Wait.notAtAll(env())) != null;
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return acquire(true, Wait.atMost(env(), unit.toNanos(time))) != null;
    }

    @Override
    public void unlock() {
        try {
            engine.core().unlocks().unlock(name);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        return acquireFrom(null);
    }

    @Override
    public LockHandle acquireFrom(@Nullable String place) throws InterruptedException {
        return handle(Objects.requireNonNull(acquire(false, Wait.interruptibly(env()))), place);
    }

    /** The handle of a hold. Where it cannot be made nobody could give the lock up, so that its lease has to end by itself. */
    private LockHandle handle(Hold hold, @Nullable String place) {
        try {
            return new HandleView(engine, hold, place);
        } catch (Throwable e) {
            // Nothing more, since a stack that is at its end would leave anything else half done.
            hold.dropped = true;
            throw e;
        }
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        return tryAcquireFrom(null, wait);
    }

    @Override
    public Optional<LockHandle> tryAcquireFrom(@Nullable String place, Duration wait) throws InterruptedException {
        return optionalHandle(acquire(false, Wait.atMost(env(), wait)), place);
    }

    private Optional<LockHandle> optionalHandle(@Nullable Hold hold, @Nullable String place) {
        return hold == null ? Optional.empty() : Optional.of(handle(hold, place));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        return AsyncAcquisition.acquire(env(), engine.core().threadName("acquisition"), this);
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return AsyncAcquisition.tryAcquire(
                env(), engine.core().threadName("acquisition"), this, Objects.requireNonNull(wait, "wait"));
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        try {
            return optionalHandle(acquire(false, Wait.notAtAll(env())), null);
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
        return engine.core().isLocked(name);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return holds().isHeldByCurrentThread(name);
    }

    @Override
    public int getHoldCount() {
        Hold hold = holds().currentOrTell(name);
        return hold == null ? 0 : hold.count;
    }

    @Override
    public Optional<Lease> lease() {
        return Optional.ofNullable(holds().currentOrTell(name)).map(hold -> new LeaseView(engine, hold));
    }

    /** Shows the name and whether the current thread holds the lock. */
    @Override
    public String toString() {
        int count = holds().lastCount(name);
        return "DistributedLock[" + name + (count == 0 ? "" : ", held " + count + " times by this thread") + "]";
    }
}
