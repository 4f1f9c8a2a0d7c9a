// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.several;

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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A lock object for several names, with the options of {@code getLock}. All state is in the engine. */
public final class SeveralLock implements DistributedLock, AsyncAcquisition.Target {
    private final SeveralHolder holder;
    private final NameSet names;
    private final LockOptions options;

    public SeveralLock(SeveralHolder holder, NameSet names, LockOptions options) {
        this.holder = holder;
        this.names = names;
        this.options = options;
    }

    private Environment env() {
        return holder.environment();
    }

    /** Keeps the factory reachable, so that it does not count as dropped while a thread waits here. */
    private boolean lock(Wait wait) throws InterruptedException {
        try {
            return holder.lock(names, options, wait);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private boolean lockIgnoringInterrupts(Wait wait) {
        try {
            return lock(wait);
        } catch (InterruptedException e) {
            throw new AssertionError("this wait is not interruptible", e);
        }
    }

    private Optional<LockHandle> acquire(Wait wait, @Nullable String place) throws InterruptedException {
        try {
            return holder.acquire(names, options, wait, place);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public String name() {
        return names.text();
    }

    @Override
    public List<String> names() {
        return names.names();
    }

    @Override
    public void lock() {
        lockIgnoringInterrupts(Wait.uninterruptibly(env()));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock(Wait.interruptibly(env()));
    }

    @Override
    public boolean tryLock() {
        return lockIgnoringInterrupts(Wait.notAtAll(env()));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return lock(Wait.atMost(env(), unit.toNanos(time)));
    }

    @Override
    public void unlock() {
        try {
            holder.unlock(names);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public Condition newCondition() {
        throw withoutConditions();
    }

    @Override
    public Condition condition(String name) {
        throw withoutConditions();
    }

    private static UnsupportedOperationException withoutConditions() {
        return new UnsupportedOperationException(
                "a lock over several names has no conditions: no single one of its names"
                        + " could keep the waiters. Use conditions of the lock of one name, and hold no other lock meanwhile");
    }

    @Override
    public LockHandle acquire() throws InterruptedException {
        return acquireFrom(null);
    }

    @Override
    public LockHandle acquireFrom(@Nullable String place) throws InterruptedException {
        return acquire(Wait.interruptibly(env()), place).orElseThrow();
    }

    @Override
    public Optional<LockHandle> tryAcquire() {
        try {
            return acquire(Wait.notAtAll(env()), null);
        } catch (InterruptedException e) {
            throw new AssertionError("this wait is not interruptible", e);
        }
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException {
        return tryAcquireFrom(null, wait);
    }

    @Override
    public Optional<LockHandle> tryAcquireFrom(@Nullable String place, Duration wait) throws InterruptedException {
        return acquire(Wait.atMost(env(), wait), place);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        return AsyncAcquisition.acquire(env(), holder.threadName("acquisition"), this, LeakDetector.caller());
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return AsyncAcquisition.tryAcquire(
                env(),
                holder.threadName("acquisition"),
                this,
                Objects.requireNonNull(wait, "wait"),
                LeakDetector.caller());
    }

    @Override
    public DistributedLock withLease(Duration lease) {
        return new SeveralLock(holder, names, options.toBuilder().lease(lease).build());
    }

    @Override
    public boolean isLocked() {
        return holder.isLocked(names);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return holder.isHeldByCurrentThread(names);
    }

    @Override
    public int getHoldCount() {
        return holder.holdCount(names);
    }

    @Override
    public Optional<Lease> lease() {
        return holder.lease(names);
    }

    /** Shows the names and whether the current thread holds the lock. */
    @Override
    public String toString() {
        int count = holder.lastCount(names);
        return "DistributedLock" + names.text() + (count == 0 ? "" : ", held " + count + " times by this thread");
    }
}
