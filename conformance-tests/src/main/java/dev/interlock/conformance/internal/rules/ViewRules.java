// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Chapters 3 to 11 of the contract, continued: views with another lease, listeners that are cancelled late, and calls
 * that ask the backend once.
 */
public abstract class ViewRules extends LifecycleRules {
    ViewRules() {}

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_25_reEntryThroughAViewDoesNotChangeTheLease() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.LONG_LEASE));
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Lease lease = heldLease(holder, lock);
        Duration before = lease.remaining();
        DistributedLock longer = lock.withLease(Scale.LONG_LEASE.multipliedBy(4));
        holder.does("lock() through a view with a longer lease", longer::lock);
        assertNotAbove(before, lease);
        assertNotAbove(before, heldLease(holder, longer));
        DistributedLock shorter = lock.withLease(Scale.LONG_LEASE.dividedBy(4));
        holder.does("lock() through a view with a shorter lease", shorter::lock);
        assertAbove(Scale.LONG_LEASE.dividedBy(4), lease);
        for (int i = 0; i < 3; i++) {
            holder.does("unlock()", lock::unlock);
        }
        assertFree(lock);
    }

    /** The ways to acquire a lock; each returns the lease, and the action that releases the lock. */
    private static Map<String, Callable<Acquired>> acquisitions(DistributedLock lock) {
        Map<String, Callable<Acquired>> ways = new LinkedHashMap<>();
        ways.put("lock()", () -> {
            lock.lock();
            return Acquired.ofThread(lock);
        });
        ways.put("lockInterruptibly()", () -> {
            lock.lockInterruptibly();
            return Acquired.ofThread(lock);
        });
        ways.put("tryLock()", () -> {
            assertTrue(lock.tryLock(), "tryLock() of a free lock");
            return Acquired.ofThread(lock);
        });
        ways.put("tryLock(time)", () -> {
            assertTrue(lock.tryLock(1, TimeUnit.HOURS), "tryLock(time) of a free lock");
            return Acquired.ofThread(lock);
        });
        ways.put("acquire()", () -> Acquired.of(lock.acquire()));
        ways.put("tryAcquire()", () -> Acquired.of(lock.tryAcquire().orElseThrow()));
        ways.put(
                "tryAcquire(time)",
                () -> Acquired.of(lock.tryAcquire(Duration.ofHours(1)).orElseThrow()));
        PendingStage.WAYS.forEach(
                way -> ways.put(way.what(), () -> Acquired.of(way.of(lock).handle())));
        return ways;
    }

    private record Acquired(Lease lease, Runnable release) {
        static Acquired ofThread(DistributedLock lock) {
            return new Acquired(lock.lease().orElseThrow(), lock::unlock);
        }

        static Acquired of(LockHandle handle) {
            return new Acquired(handle, handle::close);
        }
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_44_aViewSetsTheLeaseOfEveryAcquisition() {
        Duration shorter = Scale.LONG_LEASE.dividedBy(4);
        LockOptions options = unrenewed(Scale.LONG_LEASE).toBuilder()
                .maxHold(Scale.LONG_LEASE.multipliedBy(2))
                .build();
        DistributedLock lock = factory().getLock(name(), options);
        Actor actor = actor("holder");
        acquisitions(lock.withLease(shorter)).forEach((what, acquisition) -> {
            Acquired hold = actor.call(what + " through a view", acquisition);
            assertNotAbove(shorter, hold.lease());
            actor.does("release after " + what, hold.release()::run);
        });
        acquisitions(lock.withLease(shorter).withLease(Scale.LONG_LEASE)).forEach((what, acquisition) -> {
            Acquired hold = actor.call(what + " through a view of a view", acquisition);
            assertAbove(shorter, hold.lease());
            actor.does("release after " + what, hold.release()::run);
        });
        assertThrows(
                IllegalArgumentException.class,
                () -> lock.withLease(Scale.LONG_LEASE.multipliedBy(3)),
                "withLease() of more than maxHold");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_45_aViewKeepsTheOtherOptions() {
        LockOptions options =
                unrenewed(Scale.LONG_LEASE).toBuilder().interruptOnLoss(true).build();
        DistributedLock view = connected(factory()).getLock(name(), options).withLease(Scale.SHORT_LEASE);
        Actor holder = actor("holder");
        Lease lease = lockBy(holder, view);
        eventually("a lease through a view of a lock without renewal ends", () -> !lease.isValid());
        eventually("a loss through a view of a lock with interruptOnLoss interrupts", holder::isInterrupted);
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_46_cancellingAListenerAfterTheLossIsTooLate() {
        DistributedLock lock = connected(factory()).getLock(name(), unrenewed(Scale.SHORT_LEASE));
        LockHandle handle = acquire(actor("has the handle"), lock);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Queue<LossCause> told = new ConcurrentLinkedQueue<>();
        Lease.Registration first = handle.onLoss(cause -> {
            running.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Lease.Registration second = handle.onLoss(told::add);
        try {
            eventually("the first listener is told", () -> running.getCount() == 0);
            Actor late = actor("late");
            late.does("cancel() of a listener that runs", first::cancel);
            late.does("cancel() of a listener that has not run yet", second::cancel);
        } finally {
            over.countDown();
        }
        eventually("a listener that was cancelled after the loss is told", () -> told.size() == 1);
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_25_isLockedIgnoresAnInterrupt() {
        DistributedLock lock = lock();
        Actor observer = actor("observer");
        observer.interrupt();
        assertEquals(false, observer.call("isLocked()", lock::isLocked), "isLocked() by an interrupted thread");
        assertTrue(observer.isInterrupted(), "the interrupt status should still be set");
        holderOf(lock);
        assertEquals(true, observer.call("isLocked()", lock::isLocked), "isLocked() by an interrupted thread");
        assertTrue(observer.isInterrupted(), "the interrupt status should still be set");
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_41_tryAcquireDoesNotOvertakeThoseWhoWait() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        Actor waiter = actor("waiter");
        Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
        waiter.settle(waiting);
        assertFalse(
                holder.call("unlock() and tryAcquire()", () -> {
                    lock.unlock();
                    return lock.tryAcquire().isPresent();
                }),
                "tryAcquire() overtook a thread of the same client that waited for the lock");
        waiting.result();
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_33_tryAcquireThrowsWhenTheBackendCannotBeReached() {
        DistributedLock lock = lock();
        faults().inject(Fault.PARTITION);
        actor("locker")
                .begin("tryAcquire() in an outage", () -> lock.tryAcquire())
                .failure(LockBackendException.class);
        faults().heal();
        eventually("the lock is free after the outage", () -> isFreeIfAnybodyAnswers(lock));
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PAUSE)
    public final void rule_9_34_isLockedEndsThoughNobodyAnswers() {
        DistributedLockFactory client = newFactory(config -> config.commandTimeout(Scale.millis(500)));
        reconnect(client);
        DistributedLock lock = client.getLock(name());
        faults().inject(Fault.PAUSE);
        actor("observer")
                .begin("isLocked() that nobody answers", lock::isLocked)
                .failure(LockBackendException.class);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.RESTART_WITH_DATA)
    public final void rule_9_35_aRestartThatIsOverCostsNoException() {
        DistributedLock lock = lock();
        reconnect(factory());
        Actor actor = actor("locker");
        faults().inject(Fault.RESTART_WITH_DATA);
        assertEquals(true, actor.call("tryLock() after a restart", lock::tryLock), "tryLock() of a free lock");
        actor.does("unlock()", lock::unlock);
        faults().inject(Fault.RESTART_WITH_DATA);
        actor.does("lock() after a restart", lock::lock);
        actor.does("unlock()", lock::unlock);
        faults().inject(Fault.RESTART_WITH_DATA);
        assertEquals(false, actor.call("isLocked() after a restart", lock::isLocked), "isLocked() of a free lock");
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_21_whatAsksOnceFailsAfterClose() {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        Actor actor = actor("late");
        actor.does("close()", client::close);
        actor.begin("isLocked() after close()", lock::isLocked).failure(IllegalStateException.class);
        actor.begin("tryAcquire() after close()", () -> lock.tryAcquire()).failure(IllegalStateException.class);
        assertFree(lock());
    }
}
