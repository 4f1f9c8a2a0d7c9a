// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static dev.interlock.conformance.internal.actor.Waits.spin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.actor.WaitKind;
import dev.interlock.conformance.internal.peer.Peer;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 13 of the contract: how holders wait for conditions, and how others wake them. */
public abstract class ConditionRules extends ProcessRules {
    private static final Duration A_WHILE = Scale.millis(100);
    private static final int RACES = 40;
    private static final int RACES_OF_A_KIND = 20;

    /** How often a wait may throw an interrupt after its time before a rule concludes that it always does so. */
    private static final int AFTER_TIME_TRIES = 4;

    /** How often a wait may end without a signal before a rule concludes that it does not wait. */
    private static final int SPURIOUS_WAKES = 10;

    /** The shortest lease whose end has to be noticed by those who wait, also where other times are scaled down. */
    private static final Duration HOLDERS_LEASE =
            Collections.max(List.of(Duration.ofSeconds(10), Scale.RENEWED_LEASE.multipliedBy(10)));

    ConditionRules() {}

    /** A thread, a lock object that it uses, and the condition for which it waits or which it signals. */
    private record Party(Actor actor, DistributedLock lock, Condition condition) {
        /** Begins to wait. As soon as another thread can acquire the lock, this one is certain to wait. */
        Pending<Boolean> begins(WaitKind kind) {
            locks();
            return waits(kind);
        }

        /** As {@link #begins}, if the thread holds the lock already. */
        Pending<Boolean> waits(WaitKind kind) {
            return actor.begin(kind.what(), () -> kind.await(condition));
        }

        void locks() {
            actor.does("lock()", lock::lock);
        }

        void unlocks() {
            actor.does("unlock()", lock::unlock);
        }

        void signalsHolding() {
            actor.does("signal()", condition::signal);
        }

        void signals() {
            locks();
            signalsHolding();
            unlocks();
        }

        void signalsAll() {
            locks();
            actor.does("signalAll()", condition::signalAll);
            unlocks();
        }
    }

    private Party party(String name, DistributedLock lock) {
        return new Party(actor(name), lock, lock.condition("c"));
    }

    /** Pairs of a waiter and a signaller: of the same client, and of two clients. */
    private List<List<Party>> pairs() {
        DistributedLock lock = lock();
        return List.of(
                List.of(party("waiter", lock), party("signaller of the same client", lock)),
                List.of(party("waiter", lock), party("signaller of another client", lockOfAnotherClient())));
    }

    private static void assertWaits(Pending<?> wait) {
        always("a thread that was not signalled should wait", A_WHILE, () -> !wait.isDone());
    }

    private static void assertEndsInTime(Pending<Boolean> wait) {
        assertTrue(wait.result(), "a wait that a signal has ended should not tell of a time-out");
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_1_aWaitFreesTheLock() {
        for (List<Party> pair : pairs()) {
            for (WaitKind kind : WaitKind.ALL) {
                Pending<Boolean> wait = pair.get(0).begins(kind);
                pair.get(1).locks();
                assertFalse(wait.isDone(), kind.what() + " should wait");
                pair.get(1).unlocks();
                assertFree(lockOfAnotherClient());
                pair.get(1).signals();
                assertEndsInTime(wait);
                pair.get(0).unlocks();
            }
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_2_aSignalEndsEveryKindOfWait() {
        for (List<Party> pair : pairs()) {
            for (WaitKind kind : WaitKind.ALL) {
                Pending<Boolean> wait = pair.get(0).begins(kind);
                pair.get(1).signals();
                assertEndsInTime(wait);
                pair.get(0).unlocks();
            }
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_3_aSignalledWaiterReturnsWithTheLock() {
        inCalm(() -> {
            DistributedLock third = lockOfAnotherClient();
            for (List<Party> pair : pairs()) {
                for (WaitKind kind : WaitKind.ALL) {
                    Pending<Boolean> wait = pair.get(0).begins(kind);
                    pair.get(1).locks();
                    pair.get(1).signalsHolding();
                    always(
                            "a signalled thread should not return while the signaller holds the lock",
                            A_WHILE.dividedBy(2),
                            () -> !wait.isDone());
                    pair.get(1).unlocks();
                    assertEndsInTime(wait);
                    assertHolds(pair.get(0).actor(), pair.get(0).lock());
                    assertHeldBySomebody(third);
                    pair.get(0).unlocks();
                }
            }
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_4_aWaitGivesUpAllHoldsAndRestoresThem() {
        for (List<Party> pair : pairs()) {
            Party waiter = pair.get(0);
            waiter.locks();
            waiter.locks();
            Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
            pair.get(1).signals();
            assertEndsInTime(wait);
            assertEquals(3, waiter.actor().call("getHoldCount()", waiter.lock()::getHoldCount), "holds after await()");
            waiter.unlocks();
            waiter.unlocks();
            assertHeldBySomebody(lockOfAnotherClient());
            waiter.unlocks();
            assertFree(lockOfAnotherClient());
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs({Capability.CONDITIONS, Capability.FENCING})
    public final void rule_13_5_aWaitReturnsWithANewToken() {
        for (List<Party> pair : pairs()) {
            Party waiter = pair.get(0);
            Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
            Party signaller = pair.get(1);
            signaller.locks();
            long between = token(signaller);
            signaller.signalsHolding();
            signaller.unlocks();
            assertEndsInTime(wait);
            assertTrue(token(waiter) > between, "the token after await() should be larger than that of the signaller");
            waiter.unlocks();
        }
    }

    private static long token(Party holder) {
        return heldLease(holder.actor(), holder.lock()).fencingToken().orElseThrow();
    }

    /** Makes some waiters, of two clients in turn, which begin to wait one after the other. */
    private List<Party> crowd(int size) {
        List<DistributedLock> locks = List.of(lock(), lockOfAnotherClient());
        List<Party> crowd = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            crowd.add(party("waiter " + i, locks.get(i % locks.size())));
        }
        return crowd;
    }

    private static List<Pending<Boolean>> allBegin(List<Party> crowd, WaitKind kind) {
        return crowd.stream().map(waiter -> waiter.begins(kind)).toList();
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_6_aSignalWakesExactlyOne() {
        List<Party> crowd = crowd(4);
        List<Pending<Boolean>> waits = allBegin(crowd, WaitKind.AWAIT);
        Party signaller = party("signaller", lockOfAnotherClient());
        for (int woken = 1; woken <= waits.size(); woken++) {
            signaller.signals();
            int expected = woken;
            eventually("a signal wakes one", () -> ended(crowd, waits) == expected);
            always("a signal should wake no more than one", A_WHILE, () -> ended(crowd, waits) == expected);
        }
    }

    /** Returns how many waits have ended, and makes those threads unlock. */
    private static long ended(List<Party> crowd, List<Pending<Boolean>> waits) {
        long ended = 0;
        for (int i = 0; i < waits.size(); i++) {
            if (waits.get(i).isDone()) {
                ended++;
                if (isHeldBy(crowd.get(i).actor(), crowd.get(i).lock())) {
                    crowd.get(i).unlocks();
                }
            }
        }
        return ended;
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_7_signalsWakeInOrderOfArrival() {
        List<Party> crowd = crowd(4);
        List<Pending<Boolean>> waits = allBegin(crowd, WaitKind.AWAIT);
        Party signaller = party("signaller", lockOfAnotherClient());
        for (int i = 0; i < waits.size(); i++) {
            signaller.signals();
            assertEndsInTime(waits.get(i));
            crowd.get(i).unlocks();
            assertEquals(i + 1, ended(crowd, waits), "waits that have ended");
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_8_signalAllWakesAll() {
        List<Party> crowd = crowd(6);
        List<Pending<Boolean>> waits = allBegin(crowd, WaitKind.AWAIT);
        party("signaller", lockOfAnotherClient()).signalsAll();
        eventually("signalAll() wakes all", () -> ended(crowd, waits) == waits.size());
    }

    @Test
    @Tag("chapter-13")
    @Needs({Capability.CONDITIONS, Capability.FAIR})
    public final void rule_13_9_signalAllWakesClientsInOrderOfArrival() {
        Queue<Integer> order = new ConcurrentLinkedQueue<>();
        List<Integer> expected = new ArrayList<>();
        List<Pending<?>> waits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            Party waiter = party("waiter " + i, lockOfAnotherClient());
            expected.add(i);
            waiter.locks();
            waits.add(waiter.actor().beginTo("await(), note and unlock()", () -> {
                waiter.condition().await();
                order.add(number);
                waiter.lock().unlock();
            }));
        }
        party("signaller", lockOfAnotherClient()).signalsAll();
        waits.forEach(Pending::result);
        assertEquals(expected, List.copyOf(order), "the order in which clients that were signalled got the lock");
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_10_aSignalThatNobodyWaitsForIsForgotten() {
        for (List<Party> pair : pairs()) {
            pair.get(1).signals();
            pair.get(1).signalsAll();
            Pending<Boolean> wait = pair.get(0).begins(WaitKind.timed(A_WHILE));
            assertFalse(wait.result(), "a wait should not end by a signal that came before it");
            pair.get(0).unlocks();
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_11_conditionsOfOneLockAreSeparate() {
        DistributedLock lock = lock();
        for (List<Condition> two : List.of(
                List.of(lock.newCondition(), lock.newCondition()),
                List.of(lock.condition("one"), lock.condition("other")))) {
            Party waiter = new Party(actor("waiter"), lock, two.get(0));
            Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
            new Party(actor("signaller of the other"), lock, two.get(1)).signalsAll();
            assertWaits(wait);
            new Party(actor("signaller"), lock, two.get(0)).signals();
            assertEndsInTime(wait);
            waiter.unlocks();
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_12_conditionsAreNumberedByLockObject() {
        DistributedLock lock = lock();
        List<Condition> here = List.of(lock.newCondition(), lock.newCondition(), lock.newCondition());
        for (DistributedLock other : List.of(factory().getLock(name()), lockOfAnotherClient())) {
            List<Condition> there = List.of(other.newCondition(), other.newCondition(), other.newCondition());
            for (int i = here.size() - 1; i >= 0; i--) {
                Party waiter = new Party(actor("waiter"), lock, here.get(i));
                Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
                new Party(actor("signaller"), other, there.get(i)).signals();
                assertEndsInTime(wait);
                waiter.unlocks();
            }
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_13_aNameIsOneConditionEverywhere() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        for (String name : List.of("not empty", "1", "{}/:%@ ü\n")) {
            Party waiter = new Party(actor("waiter"), lock, lock.condition(name));
            Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
            DistributedLock fresh = factory().getLock(name());
            new Party(actor("signaller of a number"), fresh, fresh.newCondition()).signalsAll();
            assertWaits(wait);
            new Party(actor("signaller"), other, other.condition(name)).signals();
            assertEndsInTime(wait);
            waiter.unlocks();
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_14_viewsCountTheirConditionsTogether() {
        DistributedLock lock = lock();
        Condition first = lock.newCondition();
        DistributedLock view = lock.withLease(Scale.LONG_LEASE.dividedBy(2));
        Condition second = view.newCondition();
        DistributedLock other = lockOfAnotherClient();
        other.newCondition();
        Condition secondThere = other.newCondition();
        Party waiter = new Party(actor("waiter"), lock, first);
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        Party waiterOfView = new Party(actor("waiter of the view"), view, second);
        Pending<Boolean> waitOfView = waiterOfView.begins(WaitKind.AWAIT);
        new Party(actor("signaller"), other, secondThere).signals();
        assertEndsInTime(waitOfView);
        waiterOfView.unlocks();
        assertWaits(wait);
        new Party(actor("signaller of the first"), lock, first).signals();
        assertEndsInTime(wait);
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_15_conditionsOfTwoLocksAreSeparate() {
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        party("signaller of another lock", factory().getLock(name("b"))).signalsAll();
        assertWaits(wait);
        party("signaller", lock()).signals();
        assertEndsInTime(wait);
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_16_onlyTheHolderMayWait() {
        Party holder = party("holder", lock());
        Party stranger = party("stranger", lock());
        for (WaitKind kind : WaitKind.ALL) {
            assertRefused(stranger, kind);
            holder.locks();
            assertRefused(stranger, kind);
            holder.unlocks();
        }
        LockHandle handle = acquire(stranger.actor(), lock());
        assertRefused(stranger, WaitKind.AWAIT);
        stranger.actor().does("close()", handle::close);
    }

    private void assertRefused(Party stranger, WaitKind kind) {
        IllegalMonitorStateException refusal = stranger.actor()
                .begin(kind.what() + " without the lock", () -> kind.await(stranger.condition()))
                .failure(IllegalMonitorStateException.class);
        assertTrue(
                String.valueOf(refusal.getMessage()).contains(name()),
                () -> "the exception should name the lock: " + refusal);
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_17_onlyTheHolderMaySignal() {
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        Party holder = party("holder", lock());
        Party stranger = party("stranger", lock());
        holder.locks();
        stranger.actor()
                .beginTo("signal() without the lock", stranger.condition()::signal)
                .failure(IllegalMonitorStateException.class);
        stranger.actor()
                .beginTo("signalAll() without the lock", stranger.condition()::signalAll)
                .failure(IllegalMonitorStateException.class);
        holder.unlocks();
        assertWaits(wait);
        holder.signals();
        assertEndsInTime(wait);
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_18_aTimedWaitEndsWithItsTimeAndTheLock() {
        Party waiter = party("waiter", lock());
        for (WaitKind kind : WaitKind.timedKinds(A_WHILE)) {
            waiter.locks();
            waiter.locks();
            Duration took = waiter.actor().call(kind.what(), () -> {
                long before = System.nanoTime();
                assertFalse(kind.await(waiter.condition()), kind.what() + " without a signal should tell of its end");
                return Duration.ofNanos(System.nanoTime() - before);
            });
            // A date has whole milliseconds.
            assertTrue(took.plusMillis(2).compareTo(A_WHILE) >= 0, () -> kind.what() + " ended after only " + took);
            assertEquals(2, waiter.actor().call("getHoldCount()", waiter.lock()::getHoldCount), "holds after the wait");
            waiter.unlocks();
            waiter.unlocks();
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_19_aWaitWithoutTimeEndsAtOnceWithTheLock() {
        Party waiter = party("waiter", lock());
        for (Duration time : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofNanos(Long.MIN_VALUE))) {
            for (WaitKind kind : WaitKind.timedKinds(time)) {
                waiter.locks();
                assertFalse(
                        waiter.actor().call(kind.what(), () -> kind.await(waiter.condition())),
                        kind.what() + " should tell that its time is over");
                assertHolds(waiter.actor(), waiter.lock());
                waiter.unlocks();
            }
        }
        waiter.locks();
        assertFalse(
                waiter.actor().call("awaitUntil() the first date", () -> awaitUntil(waiter, Long.MIN_VALUE)),
                "awaitUntil() the first date should tell that its time is over");
        waiter.unlocks();
        assertFree(lockOfAnotherClient());
    }

    /** The type of the date is that of Condition, and what is looked at is a single wait. */
    @SuppressWarnings({"JavaUtilDate", "WaitNotInLoop"})
    private static boolean awaitUntil(Party waiter, long millis) throws InterruptedException {
        return waiter.condition().awaitUntil(new Date(millis));
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_20_whatNoClockCountsIsForEver() {
        inCalm(() -> {
            Party waiter = party("waiter", lock());
            for (WaitKind kind : WaitKind.timedKinds(Duration.ofNanos(Long.MAX_VALUE))) {
                Pending<Boolean> wait = waiter.begins(kind);
                Party signaller = party("signaller", lockOfAnotherClient());
                signaller.locks();
                always(kind.what() + " should wait", A_WHILE, () -> !wait.isDone());
                signaller.signalsHolding();
                signaller.unlocks();
                assertEndsInTime(wait);
                waiter.unlocks();
            }
            waiter.locks();
            Pending<Boolean> wait =
                    waiter.actor().begin("awaitUntil() the last date", () -> awaitUntil(waiter, Long.MAX_VALUE));
            party("signaller", lock()).signals();
            assertEndsInTime(wait);
            waiter.unlocks();
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    @SuppressWarnings("WaitNotInLoop") // What is looked at is a single wait.
    public final void rule_13_21_awaitNanosTellsTheTimeThatIsLeft() {
        inCalm(() -> {
            Party waiter = party("waiter", lock());
            long time = Scale.LONG_LEASE.toNanos();
            waiter.locks();
            Pending<Long> wait = waiter.actor()
                    .begin("awaitNanos()", () -> waiter.condition().awaitNanos(time));
            Party signaller = party("signaller", lockOfAnotherClient());
            signaller.locks();
            pass(A_WHILE);
            signaller.signalsHolding();
            signaller.unlocks();
            long left = wait.result();
            assertTrue(
                    left > 0 && left <= time - A_WHILE.toNanos(),
                    () -> "left of " + time + " ns after more than " + A_WHILE + ": " + left);
            waiter.unlocks();
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_22_whoeverTimedOutTakesNoSignal() {
        for (WaitKind kind : WaitKind.timedKinds(Scale.millis(20))) {
            List<Party> crowd = crowd(2);
            Pending<Boolean> first = crowd.get(0).begins(kind);
            assertFalse(first.result(), kind.what() + " without a signal should tell of its end");
            crowd.get(0).unlocks();
            Pending<Boolean> second = crowd.get(1).begins(WaitKind.AWAIT);
            party("signaller", lock()).signals();
            assertEndsInTime(second);
            crowd.get(1).unlocks();
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_23_anInterruptOnEntryThrowsAndKeepsTheLock() {
        Party waiter = party("waiter", lock());
        for (WaitKind kind : WaitKind.interruptible()) {
            waiter.locks();
            waiter.actor().interrupt();
            waiter.actor()
                    .begin(kind.what() + " by an interrupted thread", () -> kind.await(waiter.condition()))
                    .failure(InterruptedException.class);
            assertFalse(waiter.actor().isInterrupted(), "the status should be clear after InterruptedException");
            assertHolds(waiter.actor(), waiter.lock());
            waiter.unlocks();
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_24_anInterruptEndsAWaitWithTheLock() {
        inCalm(() -> {
            for (List<Party> pair : pairs()) {
                Party waiter = pair.get(0);
                for (WaitKind kind : WaitKind.interruptible()) {
                    waiter.locks();
                    Pending<Boolean> wait = waiter.begins(kind);
                    pair.get(1).locks();
                    waiter.actor().interrupt();
                    always(
                            "an interrupted thread should not return while another one holds the lock",
                            A_WHILE.dividedBy(2),
                            () -> !wait.isDone());
                    pair.get(1).unlocks();
                    wait.failure(InterruptedException.class);
                    assertFalse(
                            waiter.actor().isInterrupted(), "the status should be clear after InterruptedException");
                    assertEquals(
                            2,
                            waiter.actor().call("getHoldCount()", waiter.lock()::getHoldCount),
                            "holds after InterruptedException");
                    waiter.unlocks();
                    waiter.unlocks();
                }
            }
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_25_anUninterruptibleWaitKeepsTheInterrupt() {
        for (List<Party> pair : pairs()) {
            Party waiter = pair.get(0);
            waiter.locks();
            waiter.actor().interrupt();
            Pending<Boolean> wait = waiter.actor()
                    .begin("awaitUninterruptibly()", () -> WaitKind.UNINTERRUPTIBLY.await(waiter.condition()));
            pair.get(1).locks();
            pair.get(1).unlocks();
            waiter.actor().interrupt();
            assertWaits(wait);
            pair.get(1).signals();
            assertEndsInTime(wait);
            assertTrue(waiter.actor().isInterrupted(), "the interrupt status should be set after the wait");
            waiter.actor().does("forget the interrupt", Thread::interrupted);
            waiter.unlocks();
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_26_anInterruptAfterTheSignalIsKept() {
        inCalm(() -> {
            for (List<Party> pair : pairs()) {
                Party waiter = pair.get(0);
                for (WaitKind kind : WaitKind.ALL) {
                    Pending<Boolean> wait = waiter.begins(kind);
                    Party signaller = pair.get(1);
                    signaller.locks();
                    signaller.signalsHolding();
                    waiter.actor().interrupt();
                    pass(Scale.millis(20));
                    signaller.unlocks();
                    assertEndsInTime(wait);
                    assertTrue(
                            waiter.actor().isInterrupted(),
                            "the status should be set after " + kind.what() + " that was"
                                    + " interrupted after the signal");
                    waiter.actor().does("forget the interrupt", Thread::interrupted);
                    waiter.unlocks();
                }
            }
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_27_anInterruptedWaiterTakesNoSignal() {
        List<Party> crowd = crowd(2);
        Party signaller = party("signaller", lockOfAnotherClient());
        for (WaitKind kind : WaitKind.interruptible()) {
            Pending<Boolean> first = crowd.get(0).begins(kind);
            Pending<Boolean> second = crowd.get(1).begins(WaitKind.AWAIT);
            signaller.locks();
            signaller.unlocks();
            crowd.get(0).actor().interrupt();
            first.failure(InterruptedException.class);
            crowd.get(0).unlocks();
            signaller.signals();
            assertEndsInTime(second);
            crowd.get(1).unlocks();
        }
    }

    /** What ended a wait, as its caller sees it. */
    private enum End {
        SIGNAL,
        TIME,
        INTERRUPT
    }

    /** Waits, signals the next one if it was signalled, and unlocks. Keeps the interrupt status. */
    private static Pending<End> passesOn(Party waiter, WaitKind kind) {
        waiter.locks();
        return waiter.actor().begin(kind.what() + " and signal()", () -> {
            try {
                boolean signalled = kind.await(waiter.condition());
                if (signalled) {
                    waiter.condition().signal();
                }
                return signalled ? End.SIGNAL : End.TIME;
            } catch (InterruptedException e) {
                return End.INTERRUPT;
            } finally {
                assertTrue(waiter.lock().isHeldByCurrentThread(), "a wait should end with the lock");
                waiter.lock().unlock();
            }
        });
    }

    private static void assertSignalled(Pending<End> wait) {
        assertEquals(End.SIGNAL, wait.result(), "what ended a wait");
    }

    /** Checks that an interrupt was either thrown by a wait or kept as the status, and forgets it. */
    private static void assertInterruptCameOnce(Party waiter, WaitKind kind, End end) {
        assertEquals(
                end != End.INTERRUPT,
                waiter.actor().isInterrupted(),
                () -> "the interrupt status after " + kind.what() + " that was interrupted, and ended by " + end);
        waiter.actor().does("forget the interrupt", Thread::interrupted);
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_28_aSignalThatMeetsAnInterruptIsNotLost() {
        inCalm(() -> {
            Party signaller = party("signaller", lockOfAnotherClient());
            List<Party> crowd = crowd(2);
            for (WaitKind kind : WaitKind.ALL) {
                int rounds = kind.equals(WaitKind.AWAIT) ? RACES : RACES_OF_A_KIND;
                for (int round = 0; round < rounds; round++) {
                    Pending<End> first = passesOn(crowd.get(0), kind);
                    Pending<End> second = passesOn(crowd.get(1), WaitKind.UNINTERRUPTIBLY);
                    Pending<?> signal = signaller.actor().beginTo("lock(), signal() and unlock()", () -> {
                        signaller.lock().lock();
                        signaller.condition().signal();
                        signaller.lock().unlock();
                    });
                    spinForRound(round, rounds);
                    crowd.get(0).actor().interrupt();
                    signal.result();
                    End end = first.result();
                    assertTrue(
                            kind.isInterruptible() || end == End.SIGNAL,
                            () -> kind.what() + " should be ended by the signal and not by " + end);
                    assertSignalled(second);
                    assertInterruptCameOnce(crowd.get(0), kind, end);
                }
            }
            assertFree(lock());
        });
    }

    /** Waits for a part of two milliseconds that grows with the round. */
    private static void spinForRound(int round, int rounds) {
        spin(TimeUnit.MICROSECONDS.toNanos(2_000L * round / rounds));
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_29_aSignalThatMeetsATimeOutIsNotLost() {
        inCalm(() -> {
            Party signaller = party("signaller", lockOfAnotherClient());
            List<Party> crowd = crowd(2);
            for (int round = 0; round < RACES; round++) {
                Pending<End> first =
                        passesOn(crowd.get(0), WaitKind.timed(Duration.ofNanos(1_000_000 + 100_000L * round)));
                Pending<End> second = passesOn(crowd.get(1), WaitKind.AWAIT);
                signaller.signals();
                first.result();
                assertSignalled(second);
            }
            assertFree(lock());
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_30_whoeverLostTheLockDoesNotWait() {
        for (WaitKind kind : WaitKind.ALL) {
            DistributedLock lock = connected(factory()).getLock(name(), unrenewed(Scale.SHORT_LEASE));
            Party holder = party("holder", lock);
            holdAndLose(holder.actor(), lock);
            holder.actor()
                    .begin(kind.what() + " after a loss", () -> kind.await(holder.condition()))
                    .failure(LeaseLostException.class);
            assertUnlockTellsOfTheLoss(holder.actor(), lock);
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_31_whoeverLostTheLockDoesNotSignal() {
        DistributedLock lock = connected(factory()).getLock(name(), unrenewed(Scale.SHORT_LEASE));
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        Party holder = party("holder", lock);
        holdAndLose(holder.actor(), lock);
        holder.actor()
                .beginTo("signalAll() after a loss", holder.condition()::signalAll)
                .failure(LeaseLostException.class);
        assertUnlockTellsOfTheLoss(holder.actor(), lock);
        assertWaits(wait);
        party("signaller", lock()).signals();
        assertEndsInTime(wait);
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_32_closingTheFactoryEndsItsWaits() {
        for (WaitKind kind : WaitKind.ALL) {
            DistributedLockFactory closed = newFactory();
            Party waiter = party("waiter", closed.getLock(name()));
            Pending<Boolean> wait = waiter.begins(kind);
            Party other = party("other", lock());
            other.locks();
            other.unlocks();
            close(closed);
            wait.failure(IllegalStateException.class);
            waiter.actor().beginTo("unlock()", waiter.lock()::unlock).failure(LeaseLostException.class);
            assertFree(lock());
        }
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_33_aSignalForAClientThatClosesIsPassedOn() {
        DistributedLockFactory closed = newFactory();
        Party first = party("waiter of the client that closes", closed.getLock(name()));
        Party second = party("waiter", lock());
        first.begins(WaitKind.AWAIT);
        Pending<Boolean> wait = second.begins(WaitKind.AWAIT);
        Party signaller = party("signaller", lockOfAnotherClient());
        signaller.locks();
        signaller.signalsHolding();
        close(closed);
        signaller.unlocks();
        assertEndsInTime(wait);
        second.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, faults = Fault.PARTITION)
    public final void rule_13_34_aWaitRidesOutAShortOutage() {
        Party waiter = party("waiter", lock());
        // It unlocks by itself: a signaller that comes once more must not wait for it.
        Pending<End> wait = passesOn(waiter, WaitKind.AWAIT);
        Party signaller = party("signaller", lock());
        signaller.locks();
        signaller.unlocks();
        faults().inject(Fault.PARTITION);
        always("a wait should not end in an outage that is shorter than a lease", A_WHILE, () -> !wait.isDone());
        faults().heal();
        signalUntilItEnds(signaller, wait);
        assertSignalled(wait);
    }

    /**
     * Signals until a wait ends, which a fault may have ended already. Retries calls that fail because of the fault.
     */
    private static void signalUntilItEnds(Party signaller, Pending<?> wait) {
        eventually("a signal after a fault arrives", () -> {
            if (!wait.isDone()) {
                signalsIfAnybodyAnswers(signaller);
            }
            return wait.isDone();
        });
    }

    private static void signalsIfAnybodyAnswers(Party signaller) {
        signaller.actor().does("tryLock(), signal() and unlock()", () -> {
            try {
                if (signaller.lock().tryLock()) {
                    try {
                        signaller.condition().signal();
                    } finally {
                        signaller.lock().unlock();
                    }
                }
            } catch (LockBackendException e) {
                // A connection that the fault has broken may be noticed only now.
            }
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, faults = Fault.PARTITION)
    public final void rule_13_35_aWaitEndsInAnOutageLongerThanItsLease() {
        DistributedLock lock = connected(factory()).getLock(name(), lease(Scale.RENEWED_LEASE));
        Throwable thrown = null;
        for (int i = 0; i < Stage.TRIES && (i == 0 || thrown instanceof LeaseLostException); i++) {
            if (i > 0) {
                retried("a short lease was over before the wait began");
                faults().heal();
                reconnect(factory());
            }
            Party waiter = party("waiter", lock);
            waiter.actor().does("lock()", () -> locked(lock));
            Pending<Boolean> wait = waiter.waits(WaitKind.AWAIT);
            Party other = party("other", lock());
            other.locks();
            other.unlocks();
            faults().inject(Fault.PARTITION);
            thrown = wait.outcome();
            waiter.actor().beginTo("unlock()", lock::unlock).failure(LeaseLostException.class);
        }
        assertInstanceOf(LockBackendException.class, thrown, "what await() in an outage longer than the lease throws");
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, faults = Fault.PARTITION)
    public final void rule_13_36_aSignalInAnOutageThrows() {
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        Party signaller = party("signaller", lock());
        signaller.locks();
        faults().inject(Fault.PARTITION);
        signaller
                .actor()
                .beginTo("signal() in an outage", signaller.condition()::signal)
                .failure(LockBackendException.class);
        assertHolds(signaller.actor(), signaller.lock());
        faults().heal();
        eventually("a signal after an outage is carried out", () -> {
            try {
                signaller.actor().does("signal()", signaller.condition()::signal);
                return true;
            } catch (AssertionError e) {
                return false;
            }
        });
        signaller.unlocks();
        assertEndsInTime(wait);
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, faults = Fault.FLUSH)
    public final void rule_13_37_aWaiterWhosePlaceIsLostIsWoken() {
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        Party other = party("other", lock());
        other.locks();
        other.unlocks();
        faults().inject(Fault.FLUSH);
        assertEndsInTime(wait);
        assertHolds(waiter.actor(), waiter.lock());
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_38_threadsOfOneClientThatWantTheLockGetItFromAWait() {
        Party waiter = party("waiter", lock());
        waiter.locks();
        AtomicInteger turns = new AtomicInteger();
        List<Party> others = List.of(party("local", lock()), party("remote", lockOfAnotherClient()));
        List<Pending<?>> locking = new ArrayList<>();
        for (Party other : others) {
            Pending<?> one = other.actor().beginTo("lock(), signal() and unlock()", () -> {
                other.lock().lock();
                turns.incrementAndGet();
                other.condition().signal();
                other.lock().unlock();
            });
            settleWell(other.actor(), one);
            locking.add(one);
        }
        // It unlocks by itself: without FAIR it may come back before the other client, which waits for it then.
        Pending<Integer> wait = waiter.actor().begin("await() and unlock()", () -> {
            for (int wakes = 0; wakes < SPURIOUS_WAKES && turns.get() == 0; wakes++) {
                WaitKind.AWAIT.await(waiter.condition());
            }
            int turnsMeanwhile = turns.get();
            waiter.lock().unlock();
            return turnsMeanwhile;
        });
        assertNotEquals(0, wait.result(), "threads that had the lock while its holder waited for a condition");
        locking.forEach(Pending::result);
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_39_aBoundedBufferLosesNothing() {
        inCalm(() -> {
            int each = 30;
            List<DistributedLock> locks = List.of(lock(), lockOfAnotherClient());
            Queue<Integer> buffer = new ArrayDeque<>();
            Queue<Integer> consumed = new ConcurrentLinkedQueue<>();
            List<Pending<?>> all = new ArrayList<>();
            for (DistributedLock lock : locks) {
                Condition notFull = lock.newCondition();
                Condition notEmpty = lock.newCondition();
                int from = locks.indexOf(lock) * each;
                all.add(actor("producer").beginTo("produce", () -> {
                    for (int i = from; i < from + each; i++) {
                        lock.lock();
                        try {
                            while (buffer.size() == 2) {
                                notFull.await();
                            }
                            buffer.add(i);
                            notEmpty.signal();
                        } finally {
                            lock.unlock();
                        }
                    }
                }));
                all.add(actor("consumer").beginTo("consume", () -> {
                    for (int i = 0; i < each; i++) {
                        lock.lock();
                        try {
                            while (buffer.isEmpty()) {
                                notEmpty.await();
                            }
                            consumed.add(buffer.remove());
                            notFull.signal();
                        } finally {
                            lock.unlock();
                        }
                    }
                }));
            }
            finish(all, consumed::size);
            assertEquals(2L * each, consumed.stream().distinct().count(), "different items that were consumed");
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, virtualThreads = true)
    public final void rule_13_40_virtualThreadsWait() {
        List<Party> crowd = new ArrayList<>();
        DistributedLock lock = lock();
        for (int i = 0; i < 8; i++) {
            crowd.add(new Party(virtualActor("virtual " + i), lock, lock.condition("c")));
        }
        List<Pending<Boolean>> waits = allBegin(crowd, WaitKind.AWAIT);
        new Party(virtualActor("signaller"), lock, lock.condition("c")).signalsAll();
        eventually("signalAll() wakes all virtual threads", () -> ended(crowd, waits) == waits.size());
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_41_aConditionNeedsAName() {
        DistributedLock lock = lock();
        assertThrows(IllegalArgumentException.class, () -> lock.condition(" "), "condition() with a blank name");
        assertThrows(
                IllegalArgumentException.class,
                () -> lock.condition("x".repeat(513)),
                "condition() with a name of more than 512 bytes");
        assertThrows(
                IllegalArgumentException.class,
                () -> lock.condition("half \ud800"),
                "condition() with a name that cannot be encoded");
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, processes = true)
    public final void rule_13_42_aSignalGoesFromProcessToProcess() {
        Peer peer = peer();
        Actor caller = actor("caller of the other process");
        Party here = party("here", lock());
        Pending<?> there = beginsThere(caller, peer, Scale.LONG_LEASE);
        here.signals();
        there.result();
        caller.does("unlock() in another process", () -> peer.unlock(name()));
        Pending<Boolean> wait = here.begins(WaitKind.AWAIT);
        caller.does("signal() in another process", () -> peer.signal(name(), "c"));
        assertEndsInTime(wait);
        here.unlocks();
    }

    /**
     * Begins to wait in another process. As soon as somebody else can acquire the lock, that process is certain to
     * wait.
     */
    private Pending<?> beginsThere(Actor caller, Peer peer, Duration time) {
        caller.does("lock() in another process", () -> peer.lock(name(), lease(time)));
        return caller.beginTo("await() in another process", () -> peer.await(name(), "c"));
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, processes = true)
    public final void rule_13_43_aKilledWaiterIsPassedOver() {
        Peer peer = peer();
        beginsThere(actor("caller of the other process"), peer, Scale.LONG_LEASE);
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        peer.kill();
        party("signaller", lockOfAnotherClient()).signals();
        assertTrue(wait.result(Scale.PATIENCE.multipliedBy(2)), "a signal for a dead waiter should be passed on");
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, processes = true)
    public final void rule_13_44_aSignalledWaiterThatIsKilledPassesItsSignalOn() {
        Peer peer = peer();
        Actor caller = actor("caller of the other process");
        // The process may be killed only after it has renewed what it was handed; the lease must end soon even so.
        Pending<?> there = beginsThere(caller, peer, Scale.RENEWED_LEASE.multipliedBy(5));
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        party("signaller", lockOfAnotherClient()).signals();
        there.result();
        assertFalse(wait.isDone(), "one signal should not wake two");
        // The process has the lock now, and dies while it holds it.
        peer.kill();
        assertTrue(wait.result(Scale.PATIENCE.multipliedBy(2)), "the signal of a dead waiter should be passed on");
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, processes = true)
    public final void rule_13_45_aSignalOutlivesASignallerThatIsKilled() {
        Peer peer = peer();
        Party waiter = party("waiter", lock());
        Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
        Actor caller = actor("caller of the other process");
        // The first signal takes a new JVM long, and the lease below is short.
        caller.does("signal() in another process for the first time", () -> peer.signal(name("b"), "c"));
        caller.does("signal() in another process", () -> {
            peer.lock(name(), lease(Scale.RENEWED_LEASE.multipliedBy(2)));
            peer.signalHolding(name(), "c");
        });
        peer.kill();
        assertTrue(wait.result(Scale.PATIENCE.multipliedBy(2)), "the lock of a dead signaller should pass on");
        waiter.unlocks();
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_13_46_aWaitWhoseReplyIsLostEndsOrWaits() {
        Party waiter = party("waiter", lock());
        // A client that has waited once is subscribed, so that the next request is that of the wait.
        Pending<Boolean> first = waiter.begins(WaitKind.AWAIT);
        party("signaller of the same client", lock()).signals();
        assertEndsInTime(first);
        waiter.unlocks();
        waiter.locks();
        faults().inject(Fault.LOSE_NEXT_REPLY);
        Pending<Boolean> wait = waiter.actor().begin("await()", () -> WaitKind.AWAIT.await(waiter.condition()));
        eventually("the reply to a wait is lost", faults()::hasLostReply);
        // Of several servers, those that were not asked would lose a reply to somebody else.
        faults().heal();
        signalUntilItEnds(party("signaller", lockOfAnotherClient()), wait);
        assertEndsInTime(wait);
        assertHolds(waiter.actor(), waiter.lock());
        waiter.unlocks();
        eventually("the lock is free after a wait whose reply was lost", () -> isFreeIfAnybodyAnswers(lock()));
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_47_anInterruptAfterTheTimeIsKept() {
        inCalm(() -> {
            for (List<Party> pair : pairs()) {
                Party waiter = pair.get(0);
                Party holder = pair.get(1);
                for (int kind = 0; kind < WaitKind.timedKinds(A_WHILE).size(); kind++) {
                    assertKeepsAnInterruptAfterTheTime(waiter, holder, kind);
                }
            }
        });
    }

    /**
     * Tries again with longer times if the case was not met: a thread that got no processor since its time was over
     * rightly sees the interrupt first.
     */
    private void assertKeepsAnInterruptAfterTheTime(Party waiter, Party holder, int kind) {
        Duration time = Scale.millis(20);
        for (int i = 1;
                !isKeptAfterTheTime(waiter, holder, WaitKind.timedKinds(time).get(kind), time);
                i++) {
            assertTrue(i < AFTER_TIME_TRIES, "an interrupt after the time should be kept, and was thrown each time");
            retried("an interrupt came before a thread had noticed the end of its time");
            time = time.multipliedBy(3);
        }
    }

    /**
     * Interrupts a wait long after its time, while the holder has the lock. Returns false if the wait threw the
     * interrupt, or ended before the holder had the lock.
     */
    private boolean isKeptAfterTheTime(Party waiter, Party holder, WaitKind kind, Duration time) {
        waiter.locks();
        // It waits for the lock already when the wait begins, so that it comes before the end of the time.
        Pending<?> next = holder.actor().beginTo("lock()", holder.lock()::lock);
        settleWell(holder.actor(), next);
        Pending<End> wait = waiter.actor().begin(kind.what(), () -> {
            try {
                return kind.await(waiter.condition()) ? End.SIGNAL : End.TIME;
            } catch (InterruptedException e) {
                return End.INTERRUPT;
            }
        });
        eventually("a thread that waits gets the lock", () -> next.isDone() || wait.isDone());
        if (wait.isDone()) {
            wait.result();
            waiter.unlocks();
            next.result();
            holder.unlocks();
            return false;
        }
        next.result();
        pass(time.multipliedBy(5));
        waiter.actor().settle(wait);
        waiter.actor().interrupt();
        always(
                "a thread whose time is over should not return while another one holds the lock",
                A_WHILE.dividedBy(2),
                () -> !wait.isDone());
        holder.unlocks();
        End end = wait.result();
        assertNotEquals(End.SIGNAL, end, kind.what() + " should tell that its time is over");
        assertHolds(waiter.actor(), waiter.lock());
        assertInterruptCameOnce(waiter, kind, end);
        waiter.unlocks();
        return end == End.TIME;
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_48_anInterruptThatMeetsATimeOutIsThrownOrKept() {
        inCalm(() -> {
            Party signaller = party("signaller", lockOfAnotherClient());
            List<Party> crowd = crowd(2);
            for (WaitKind kind : WaitKind.timedKinds(Duration.ofMillis(1))) {
                for (int round = 0; round < RACES_OF_A_KIND; round++) {
                    Pending<End> first = passesOn(crowd.get(0), kind);
                    spinForRound(round, RACES_OF_A_KIND);
                    crowd.get(0).actor().interrupt();
                    assertInterruptCameOnce(crowd.get(0), kind, first.result());
                    Pending<End> second = passesOn(crowd.get(1), WaitKind.AWAIT);
                    signaller.signals();
                    assertSignalled(second);
                }
            }
            assertFree(lock());
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(Capability.CONDITIONS)
    public final void rule_13_49_anInterruptComesBeforeTheMissingLock() {
        Party stranger = party("stranger", lock());
        for (WaitKind kind : WaitKind.ALL) {
            stranger.actor().interrupt();
            if (kind.isInterruptible()) {
                stranger.actor()
                        .begin(
                                kind.what() + " by an interrupted thread without the lock",
                                () -> kind.await(stranger.condition()))
                        .failure(InterruptedException.class);
                assertInterruptCameOnce(stranger, kind, End.INTERRUPT);
            } else {
                assertRefused(stranger, kind);
                assertTrue(
                        stranger.actor().isInterrupted(),
                        "the status should be set after " + kind.what() + " that was refused");
                stranger.actor().does("forget the interrupt", Thread::interrupted);
            }
        }
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, processes = true, signals = true)
    public final void rule_13_50_aWaiterThatIsStoppedWhenItIsSignalledPassesItsSignalOn() {
        inCalm(() -> {
            Peer peer = peer();
            Pending<?> there = beginsThere(actor("caller of the other process"), peer, Scale.LONG_LEASE);
            Party waiter = party("waiter", lock());
            Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
            // Its connection stays, so that it cannot be told from a waiter that is there.
            peer.stop();
            Party signaller = party("signaller", lockOfAnotherClient());
            signaller.signals();
            assertTrue(
                    wait.result(Scale.PATIENCE.multipliedBy(2)),
                    "a signal that met a waiter that stands still should be passed on");
            peer.goOn();
            always(
                    "a waiter that stood still should not return while another one has the lock",
                    Scale.SHORT_LEASE,
                    () -> !there.isDone());
            assertHolds(waiter.actor(), waiter.lock());
            waiter.unlocks();
            // Its signal has gone to another one, so it may need one of its own.
            signalUntilItEnds(signaller, there);
            there.result();
            assertHoldsThere(peer);
        });
    }

    private void assertHoldsThere(Peer peer) {
        assertTrue(peer.isHeld(name()), "a process whose wait has ended should hold the lock");
        assertEquals("", peer.unlock(name()), "what unlock() threw after the wait");
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, processes = true, signals = true)
    public final void rule_13_51_aWaiterThatIsStoppedAfterItsWaitPassesItsSignalOnAndIsTold() {
        inCalm(() -> {
            Peer peer = peer();
            // The process may be stopped only after it has renewed what it was handed; the lease must end soon even so.
            Pending<?> there =
                    beginsThere(actor("caller of the other process"), peer, Scale.RENEWED_LEASE.multipliedBy(5));
            Party waiter = party("waiter", lock());
            Pending<Boolean> wait = waiter.begins(WaitKind.AWAIT);
            party("signaller", lockOfAnotherClient()).signals();
            there.result();
            peer.stop();
            assertTrue(
                    wait.result(Scale.PATIENCE.multipliedBy(2)),
                    "the signal of a holder that stands still past its lease should be passed on");
            peer.goOn();
            assertFalse(peer.isHeld(name()), "a process that stood still should know at once that it lost the lock");
            assertEquals("LeaseLostException", peer.unlock(name()), "what unlock() throws after the loss");
            assertHolds(waiter.actor(), waiter.lock());
            waiter.unlocks();
        });
    }

    @Test
    @Tag("chapter-13")
    @Needs(value = Capability.CONDITIONS, processes = true)
    public final void rule_13_52_aHolderThatDiesBeforeItSignalsStrandsNobody() {
        inCalm(() -> {
            Actor caller = actor("caller of the other process");
            Peer peer = peer();
            // A new JVM is slow, and the lease below is to be that of a process that is killed at once.
            caller.does(
                    "lock() in another process for the first time", () -> peer.lock(name("b"), lease(HOLDERS_LEASE)));
            List<Pending<Boolean>> waits = new ArrayList<>();
            for (Party waiter : crowd(2)) {
                waiter.locks();
                waits.add(waiter.actor().begin("await() and unlock()", () -> {
                    WaitKind.AWAIT.await(waiter.condition());
                    boolean holds = waiter.lock().isHeldByCurrentThread();
                    waiter.lock().unlock();
                    return holds;
                }));
            }
            // Then all wait. A holder that had to wait for the lock itself may have a shorter lease at first.
            Party another = party("thread of another client", lockOfAnotherClient());
            another.locks();
            another.unlocks();
            caller.does("lock() in another process", () -> peer.lock(name(), lease(HOLDERS_LEASE)));
            peer.kill();
            for (Pending<Boolean> wait : waits) {
                assertTrue(
                        wait.result(HOLDERS_LEASE.plus(Scale.PATIENCE.multipliedBy(2))),
                        "a thread that the death of a holder has woken should hold the lock");
            }
        });
    }
}
