// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LeakDetector;
import dev.interlock.engine.threads.AsyncAcquisition;
import dev.interlock.engine.threads.Wait;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A lock object: the lock of one name with the options of {@code getLock}. All state is in the engine. */
final class EngineLock implements DistributedLock, AsyncAcquisition.Target {
    private static final AtomicIntegerFieldUpdater<EngineLock> NUMBERED =
            AtomicIntegerFieldUpdater.newUpdater(EngineLock.class, "numbered");

    private final LockEngine engine;
    private final String name;
    private final LockOptions options;

    /** The lock that this is a view of, or this one: views count their numbered conditions together. */
    private final EngineLock counting;

    /** How many numbered conditions were made. Most locks never have any. */
    @SuppressWarnings("UnusedVariable") // The updater uses it.
    private volatile int numbered;

    EngineLock(LockEngine engine, String name, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.options = options;
        this.counting = this;
    }

    private EngineLock(EngineLock viewed, LockOptions options) {
        this.engine = viewed.engine;
        this.name = viewed.name;
        this.options = options;
        this.counting = viewed.counting;
    }

    private Environment env() {
        return engine.core().environment();
    }

    private Holds holds() {
        return engine.core().holds();
    }

    /** Keeps the factory reachable, so that it does not count as dropped while a thread waits here. */
    private @Nullable Hold acquire(boolean forThread, Wait wait) throws InterruptedException {
        try {
            return engine.core().acquisitions().acquire(name, options, forThread, wait, null);
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
        LockMonitor monitor = new LockMonitor(engine, name);
        return engine.core().conditions().numbered(monitor, () -> NUMBERED.incrementAndGet(counting));
    }

    @Override
    public Condition condition(String conditionName) {
        return engine.core().conditions().named(new LockMonitor(engine, name), conditionName);
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        return acquireFrom(null);
    }

    @Override
    public LockHandle acquireFrom(@Nullable String place) throws InterruptedException {
        return LeaseView.OfHandle.of(engine, Objects.requireNonNull(acquire(false, Wait.interruptibly(env()))), place);
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
        return hold == null ? Optional.empty() : Optional.of(LeaseView.OfHandle.of(engine, hold, place));
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        return AsyncAcquisition.acquire(env(), engine.core().threadName("acquisition"), this, LeakDetector.caller());
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return AsyncAcquisition.tryAcquire(
                env(),
                engine.core().threadName("acquisition"),
                this,
                Objects.requireNonNull(wait, "wait"),
                LeakDetector.caller());
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
        return new EngineLock(this, options.toBuilder().lease(lease).build());
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
