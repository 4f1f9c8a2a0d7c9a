// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static dev.interlock.conformance.internal.actor.Waits.spin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 4 of the contract: interrupts. */
public abstract class InterruptRules extends ReentryRules {
    private static final int INTERRUPTS = 3;
    private static final int RACES = 200;
    private static final int HANDOVERS = 20;
    private static final int TRIES = 10;
    private static final int REQUESTS = 50;

    InterruptRules() {}

    @Test
    @Tag("chapter-4")
    public final void rule_4_1_lockIgnoresAnInterruptOnEntry() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        actor.interrupt();
        actor.does("lock()", lock::lock);
        assertTrue(actor.isInterrupted(), "the interrupt status should still be set");
        assertHolds(actor, lock);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_2_lockKeepsTheInterruptFlag() {
        DistributedLock held = lock();
        for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
            Actor holder = holderOf(held);
            Actor waiter = actor("waiter");
            Pending<?> call = waiter.beginTo("lock()", waiting::lock);
            waiter.settle(call);
            waiter.interrupt();
            waiter.settle(call);
            holder.does("unlock()", held::unlock);
            call.result();
            assertTrue(waiter.isInterrupted(), "the interrupt status should be set after lock()");
            waiter.does("unlock()", waiting::unlock);
        }
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_3_lockWaitsOnWhenInterrupted() {
        DistributedLock held = lock();
        for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
            Actor holder = holderOf(held);
            Actor waiter = actor("waiter");
            Pending<?> call = waiter.beginTo("lock()", waiting::lock);
            for (int i = 0; i < INTERRUPTS; i++) {
                waiter.settle(call);
                waiter.interrupt();
            }
            waiter.settle(call);
            assertFalse(
                    call.isDone(), "lock() should wait on when interrupted, as long as somebody else holds the lock");
            holder.does("unlock()", held::unlock);
            call.result();
            assertHolds(waiter, waiting);
            waiter.does("unlock()", waiting::unlock);
        }
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_4_lockInterruptiblyThrowsOnEntry() {
        assertThrowsOnEntry("lockInterruptibly()", () -> {
            lock().lockInterruptibly();
            return null;
        });
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_5_lockInterruptiblyThrowsWhileItWaits() {
        DistributedLock held = lock();
        for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
            assertThrowsWhileItWaits("lockInterruptibly()", held, waiting, () -> {
                waiting.lockInterruptibly();
                return null;
            });
        }
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_6_anInterruptedWaiterDoesNotGetTheLockLater() {
        DistributedLock held = lock();
        for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
            Actor holder = holderOf(held);
            Actor waiter = actor("waiter");
            Pending<?> call = waiter.beginTo("lockInterruptibly()", waiting::lockInterruptibly);
            waiter.settle(call);
            waiter.interrupt();
            call.failure(InterruptedException.class);
            DistributedLock other = lockOfAnotherClient();
            holder.does("unlock()", held::unlock);
            assertFree(other);
            pass(Scale.millis(50));
            assertFree(other);
            assertFalse(isHeldBy(waiter, waiting), "a waiter that was interrupted does not hold the lock");
            waiter.does("lockInterruptibly() again", waiting::lockInterruptibly);
            assertHolds(waiter, waiting);
            waiter.does("unlock()", waiting::unlock);
        }
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_7_tryLockIgnoresAnInterrupt() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        actor.interrupt();
        assertTrue(triesToLock(actor, lock), "tryLock() of a free lock by an interrupted thread");
        assertTrue(actor.isInterrupted(), "the interrupt status should still be set");
        assertHolds(actor, lock);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_8_aRefusedTryLockKeepsTheInterruptFlag() {
        DistributedLock held = lock();
        for (DistributedLock refusing : List.of(held, lockOfAnotherClient())) {
            Actor holder = holderOf(held);
            Actor actor = actor("refused");
            actor.interrupt();
            assertFalse(triesToLock(actor, refusing), "tryLock() of a held lock by an interrupted thread");
            assertTrue(actor.isInterrupted(), "the interrupt status should still be set");
            holder.does("unlock()", held::unlock);
        }
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_9_timedTryLockThrowsOnEntry() {
        for (long time : new long[] {1_000, 0, -1}) {
            assertThrowsOnEntry(
                    "tryLock(" + time + ", MILLISECONDS)", () -> lock().tryLock(time, TimeUnit.MILLISECONDS));
        }
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_10_timedTryLockThrowsWhileItWaits() {
        DistributedLock held = lock();
        for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
            assertThrowsWhileItWaits("timed tryLock()", held, waiting, () -> waiting.tryLock(1, TimeUnit.HOURS));
        }
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_4_11_acquireThrowsOnEntry() {
        assertThrowsOnEntry("acquire()", lock()::acquire);
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_4_12_acquireThrowsWhileItWaits() {
        DistributedLock held = lock();
        for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
            assertThrowsWhileItWaits("acquire()", held, waiting, waiting::acquire);
        }
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_4_13_tryAcquireThrowsOnEntry() {
        for (Duration wait : List.of(Duration.ofSeconds(1), Duration.ZERO, Duration.ofMillis(-1))) {
            assertThrowsOnEntry("tryAcquire(" + wait + ")", () -> lock().tryAcquire(wait));
        }
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_4_14_tryAcquireThrowsWhileItWaits() {
        DistributedLock held = lock();
        for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
            assertThrowsWhileItWaits("tryAcquire()", held, waiting, () -> waiting.tryAcquire(Duration.ofHours(1)));
        }
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_15_unlockIgnoresAnInterrupt() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        holder.interrupt();
        holder.does("unlock()", lock::unlock);
        assertTrue(holder.isInterrupted(), "the interrupt status should still be set");
        assertFalse(isHeldBy(holder, lock), "an interrupted thread should be able to unlock");
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_4_16_closingAHandleIgnoresAnInterrupt() {
        DistributedLock lock = lock();
        Actor actor = actor("has the handle");
        LockHandle handle = actor.call("acquire()", lock::acquire);
        actor.interrupt();
        actor.does("close()", handle::close);
        assertTrue(actor.isInterrupted(), "the interrupt status should still be set");
        assertFalse(handle.isValid(), "an interrupted thread should be able to close a handle");
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_4_17_ensureValidIgnoresAnInterrupt() {
        inCalm(() -> {
            DistributedLock lock = factory().getLock(name(), unrenewed(Scale.LONG_LEASE));
            Actor holder = actor("holder");
            holder.does("lock()", lock::lock);
            Lease lease = heldLease(holder, lock);
            // Less than a fresh lease, so that it can be granted, and more than what is left, so that it must be
            // renewed.
            Duration wanted = lease.remaining().minus(Scale.millis(1900));
            pass(Scale.millis(2000));
            holder.interrupt();
            Duration left = holder.call("ensureValid()", () -> {
                lease.ensureValid(wanted);
                return lease.remaining();
            });
            assertTrue(holder.isInterrupted(), "the interrupt status should still be set");
            assertTrue(
                    left.compareTo(wanted) >= 0,
                    () -> "what remains after ensureValid(" + wanted + ") by an interrupted thread is " + left);
        });
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_4_18_queriesIgnoreAnInterrupt() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        holder.interrupt();
        assertTrue(isHeldBy(holder, lock), "isHeldByCurrentThread() by an interrupted thread");
        assertEquals(1, holder.call("getHoldCount()", lock::getHoldCount), "getHoldCount() by an interrupted thread");
        Lease lease = heldLease(holder, lock);
        assertTrue(holder.call("isValid()", lease::isValid), "isValid() by an interrupted thread");
        assertTrue(
                holder.call("remaining()", lease::remaining).compareTo(Duration.ZERO) > 0,
                "remaining() by an interrupted thread");
        holder.does("the other queries", () -> {
            lock.name();
            assertNotNull(lock.toString(), "the lock as a text");
            lease.lockName();
            lease.fencingToken();
            lease.onLoss(cause -> {});
            assertNotNull(lease.toString(), "the lease as a text");
        });
        assertTrue(holder.isInterrupted(), "the interrupt status should still be set");
    }

    @Test
    @Tag("chapter-4")
    public final void rule_4_19_anInterruptThatMeetsTheGrantHasOneOutcome() {
        inCalm(() -> {
            DistributedLock held = lock();
            DistributedLock other = lockOfAnotherClient();
            List<DistributedLock> waiting = List.of(held, lockOfAnotherClient());
            Actor holder = actor("holder");
            Actor waiter = actor("waiter");
            for (int round = 0; round < RACES; round++) {
                DistributedLock raced = waiting.get(round % waiting.size());
                holder.does("lock()", held::lock);
                Pending<Boolean> call = waiter.begin("lockInterruptibly()", () -> hasLocked(raced));
                settleShortly(waiter);
                Pending<?> unlocking = unlockAndInterrupt(round, holder, held, waiter);
                boolean has = call.result();
                unlocking.result();
                assertEquals(
                        !has,
                        isFree(other),
                        "whether the lock is free after lockInterruptibly() that met an interrupt");
                if (has) {
                    waiter.does("unlock()", raced::unlock);
                }
                waiter.does("forget the interrupt", Thread::interrupted);
            }
        });
    }

    /** Returns true if the thread has the lock, and false if it was interrupted. */
    private static boolean hasLocked(DistributedLock lock) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            assertFalse(
                    Thread.currentThread().isInterrupted(),
                    "the interrupt status should be cleared by InterruptedException");
            assertFalse(lock.isHeldByCurrentThread(), "the lock should not be held after InterruptedException");
            return false;
        }
        assertTrue(lock.isHeldByCurrentThread(), "the lock should be held when lockInterruptibly() has returned");
        return true;
    }

    @Test
    @Tag("chapter-4")
    @Needs(Capability.PUSH_WAKEUP)
    public final void rule_4_20_anInterruptedWaiterDoesNotTakeTheWakeUpAlong() {
        // Polling is so rare that only a wake-up brings the waiters the lock in time.
        DistributedLock waiting =
                newFactory(config -> config.waitCeiling(Duration.ofHours(1))).getLock(name());
        DistributedLock elsewhere = lock();
        Actor holder = actor("holder");
        Actor first = actor("first");
        Actor second = actor("second");
        for (int round = 0; round < HANDOVERS; round++) {
            DistributedLock held = round % 2 == 0 ? waiting : elsewhere;
            holder.does("lock()", held::lock);
            Pending<Boolean> interrupted = first.begin("lockInterruptibly()", () -> hasLocked(waiting));
            settleShortly(first);
            Pending<?> patient = second.beginTo("lock()", waiting::lock);
            settleShortly(second);
            Pending<?> unlocking = unlockAndInterrupt(round, holder, held, first);
            if (interrupted.result()) {
                first.does("unlock()", waiting::unlock);
            }
            patient.result();
            second.does("unlock()", waiting::unlock);
            unlocking.result();
            first.does("forget the interrupt", Thread::interrupted);
        }
    }

    @Test
    @Tag("chapter-4")
    @Needs(value = Capability.SAFE_RELEASE, faults = Fault.PAUSE)
    public final void rule_4_21_anInterruptedRequestWithoutAnAnswerLeavesNothingBehind() {
        DistributedLock lock = lock();
        connected(factory());
        Actor actor = actor("locker");
        faults().inject(Fault.PAUSE);
        Pending<?> call = actor.beginTo("lockInterruptibly()", lock::lockInterruptibly);
        pass(Scale.millis(50));
        actor.interrupt();
        Throwable thrown = call.outcome();
        assertTrue(
                thrown instanceof InterruptedException || thrown instanceof LockBackendException,
                () -> "lockInterruptibly() got no answer and was interrupted, and ended with " + thrown);
        faults().heal();
        pass(Scale.millis(100));
        assertFalse(isHeldBy(actor, lock), "a thread whose request got no answer does not hold the lock");
        DistributedLock other = lockOfAnotherClient();
        eventually("what the request took is given back, long before its lease ends", () -> isFree(other));
    }

    @Test
    @Tag("chapter-4")
    @Needs(faults = Fault.DELAY)
    public final void rule_4_22_lockOutlastsAnInterruptDuringItsRequest() {
        DistributedLock lock = lock();
        connected(factory());
        Actor actor = actor("locker");
        faults().inject(Fault.DELAY);
        Pending<?> call = actor.beginTo("lock()", lock::lock);
        pass(FaultInjector.DELAY.dividedBy(5));
        actor.interrupt();
        call.result();
        faults().heal();
        assertTrue(actor.isInterrupted(), "the interrupt status should be set after lock()");
        assertHolds(actor, lock);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-4")
    @Needs(faults = Fault.DELAY)
    public final void rule_4_23_anInterruptDuringTheRequestGivesTheLockBack() {
        DistributedLock lock = lock();
        connected(factory());
        Actor actor = actor("locker");
        faults().inject(Fault.DELAY);
        // On a busy machine the interrupt may come after the answer; then the lock is rightly held.
        for (int i = 0; i < TRIES; i++) {
            Pending<Boolean> call = actor.begin("lockInterruptibly()", () -> hasLocked(lock));
            pass(FaultInjector.DELAY.dividedBy(5));
            actor.interrupt();
            if (!call.result()) {
                faults().heal();
                DistributedLock other = lockOfAnotherClient();
                eventually("the lock that was granted to an interrupted thread is given back", () -> isFree(other));
                return;
            }
            actor.does("unlock()", lock::unlock);
            actor.does("forget the interrupt", Thread::interrupted);
            if (i < TRIES - 1) {
                retried("an interrupt came after the answer that it should have met");
            }
        }
        fail("lockInterruptibly() never threw InterruptedException when interrupted during its request");
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_4_24_tryAcquireWithoutATimeIgnoresAnInterrupt() {
        DistributedLock lock = lock();
        Actor actor = actor("has the handle");
        actor.interrupt();
        Optional<LockHandle> handle = actor.call("tryAcquire()", () -> lock.tryAcquire());
        assertTrue(handle.isPresent(), "tryAcquire() of a free lock by an interrupted thread");
        assertTrue(actor.isInterrupted(), "the interrupt status should still be set");
        for (DistributedLock refusing : List.of(lock, lockOfAnotherClient())) {
            Actor refused = actor("refused");
            refused.interrupt();
            assertTrue(
                    refused.call("tryAcquire()", () -> refusing.tryAcquire()).isEmpty(),
                    "tryAcquire() of a held lock by an interrupted thread");
            assertTrue(refused.isInterrupted(), "the interrupt status should still be set");
        }
        actor.does("close()", handle.orElseThrow()::close);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-4")
    @Needs(virtualThreads = true)
    public final void rule_4_26_requestsOfAVirtualThreadOutlastInterrupts() {
        inCalm(() -> {
            DistributedLock lock = lock();
            Actor actor = virtualActor("locker");
            for (int i = 0; i < REQUESTS; i++) {
                Pending<Boolean> call = actor.begin("tryLock() and unlock()", () -> {
                    boolean has = lock.tryLock();
                    if (has) {
                        lock.unlock();
                    }
                    return has;
                });
                while (!call.isDone()) {
                    actor.interrupt();
                    // Less than a request takes, and the processor is left to the thread and to the backend.
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(20));
                }
                assertTrue(call.result(), "tryLock() of a free lock by a virtual thread that is interrupted meanwhile");
            }
            assertFree(lockOfAnotherClient());
        });
    }

    @Test
    @Tag("chapter-4")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_4_27_anInterruptThatMeetsATimeOutIsThrownOrKept() {
        inCalm(() -> {
            DistributedLock held = lock();
            holderOf(held);
            Actor waiter = actor("waiter");
            for (DistributedLock waiting : List.of(held, lockOfAnotherClient())) {
                assertThrownOrKept(waiter, "tryLock(1 ms)", () -> waiting.tryLock(1, TimeUnit.MILLISECONDS));
                assertThrownOrKept(
                        waiter,
                        "tryAcquire(1 ms)",
                        () -> waiting.tryAcquire(Duration.ofMillis(1)).isPresent());
            }
        });
    }

    /** Interrupts a call before, at and after the end of its time, as the round has it. */
    private static void assertThrownOrKept(Actor waiter, String what, Callable<Boolean> call) {
        for (int round = 0; round < HANDOVERS; round++) {
            Pending<Boolean> interrupted = waiter.begin(what, () -> {
                try {
                    assertFalse(call.call(), what + " of a lock that somebody else holds");
                    return false;
                } catch (InterruptedException e) {
                    return true;
                }
            });
            spin(TimeUnit.MICROSECONDS.toNanos(100L * round));
            waiter.interrupt();
            boolean thrown = interrupted.result();
            assertEquals(
                    !thrown,
                    waiter.isInterrupted(),
                    () -> "the interrupt status after " + what
                            + (thrown ? " that threw the interrupt" : " that returned"));
            waiter.does("forget the interrupt", Thread::interrupted);
        }
    }

    /** The calls that an interrupt may end, each of which returns what gives the lock back. */
    private static Map<String, Callable<Runnable>> interruptibleWays(DistributedLock lock) {
        Map<String, Callable<Runnable>> ways = new LinkedHashMap<>();
        ways.put("lockInterruptibly()", () -> {
            lock.lockInterruptibly();
            return lock::unlock;
        });
        ways.put("tryLock(time)", () -> {
            assertTrue(lock.tryLock(1, TimeUnit.HOURS), "tryLock(time) with much time");
            return lock::unlock;
        });
        ways.put("acquire()", () -> lock.acquire()::close);
        ways.put("tryAcquire(time)", () -> lock.tryAcquire(Duration.ofHours(1)).orElseThrow()::close);
        return ways;
    }

    /**
     * Interrupts each kind of interruptible call at about the moment at which it is granted the lock, and checks that
     * either it throws and leaves nothing behind, or it has the lock.
     *
     * @param held what another thread holds, so that the call waits
     * @param waited the lock that is waited for
     * @param probe a lock that is free only if nobody holds the one that is waited for
     */
    final void assertOneOutcomeOfAnInterruptAtTheGrant(
            DistributedLock held, DistributedLock waited, DistributedLock probe) {
        Actor holder = actor("holder");
        Actor waiter = actor("waiter");
        interruptibleWays(waited).forEach((what, way) -> {
            for (int round = 0; round < HANDOVERS; round++) {
                holder.does("lock()", held::lock);
                Pending<Optional<Runnable>> call = waiter.begin(what, () -> unlessInterrupted(way));
                settleShortly(waiter);
                Pending<?> unlocking = unlockAndInterrupt(round, holder, held, waiter);
                Optional<Runnable> release = call.result();
                unlocking.result();
                if (release.isPresent()) {
                    assertHeldBySomebody(probe);
                    waiter.does("give the lock back", release.get()::run);
                } else {
                    eventually(what + " that threw an interrupt leaves nothing behind", () -> isFree(probe));
                }
                waiter.does("forget the interrupt", Thread::interrupted);
            }
        });
    }

    private static Optional<Runnable> unlessInterrupted(Callable<Runnable> way) throws Exception {
        try {
            return Optional.of(way.call());
        } catch (InterruptedException e) {
            assertFalse(
                    Thread.currentThread().isInterrupted(),
                    "the interrupt status should be cleared by InterruptedException");
            return Optional.empty();
        }
    }

    private Actor holderOf(DistributedLock lock) {
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        return holder;
    }

    private void assertThrowsOnEntry(String what, Callable<?> call) {
        Actor actor = actor("locker");
        actor.interrupt();
        actor.begin(what, call).failure(InterruptedException.class);
        assertFalse(actor.isInterrupted(), "the interrupt status should be cleared by InterruptedException");
        assertFalse(isHeldBy(actor, lock()), () -> "the lock should not be held after InterruptedException of " + what);
        assertFree(lock());
        assertFree(lockOfAnotherClient());
    }

    private void assertThrowsWhileItWaits(
            String what, DistributedLock held, DistributedLock waiting, Callable<?> call) {
        Actor holder = holderOf(held);
        Actor waiter = actor("waiter");
        Pending<?> pending = waiter.begin(what, call);
        waiter.settle(pending);
        waiter.interrupt();
        pending.failure(InterruptedException.class);
        assertFalse(waiter.isInterrupted(), "the interrupt status should be cleared by InterruptedException");
        assertFalse(
                isHeldBy(waiter, waiting), () -> "the lock should not be held after InterruptedException of " + what);
        assertHolds(holder, held);
        holder.does("unlock()", held::unlock);
        assertFree(lockOfAnotherClient());
    }

    /** Gives a thread a little time to begin its wait, in rules of many rounds that need not meet the case in each. */
    private static void settleShortly(Actor actor) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3);
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
        while (actor.thread().getState() == Thread.State.RUNNABLE && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
    }

    /**
     * Interrupts before, during or after an unlock, depending on the round. Two rounds go by for each, as the lock is
     * held by either client in turn.
     */
    private static Pending<?> unlockAndInterrupt(int round, Actor holder, DistributedLock held, Actor waiter) {
        int step = round % HANDOVERS;
        if (step < 2) {
            Pending<?> unlocking = holder.beginTo("unlock()", held::unlock);
            unlocking.result();
            waiter.interrupt();
            return unlocking;
        }
        if (step < 4) {
            waiter.interrupt();
            return holder.beginTo("unlock()", held::unlock);
        }
        Pending<?> unlocking = holder.beginTo("unlock()", held::unlock);
        spin(TimeUnit.MICROSECONDS.toNanos(50L * (step - 4)));
        waiter.interrupt();
        return unlocking;
    }
}
