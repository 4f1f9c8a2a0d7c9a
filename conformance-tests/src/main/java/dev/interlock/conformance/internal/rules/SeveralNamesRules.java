// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Calm;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.peer.Peer;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 15 of the contract: one lock over several names. */
public abstract class SeveralNamesRules extends ReadWriteRules {
    /** A time in which a thread that does not wait for another name would have gone on. */
    private static final Duration A_WHILE = Scale.millis(50);

    private static final int CIRCLES = 5;

    SeveralNamesRules() {}

    private List<String> names(String... suffixes) {
        return Arrays.stream(suffixes).map(this::name).toList();
    }

    private DistributedLock several(String... suffixes) {
        return factory().getLock(names(suffixes));
    }

    private DistributedLock single(String suffix) {
        return factory().getLock(name(suffix));
    }

    private void assertHeldElsewhere(DistributedLockFactory client, String... suffixes) {
        for (String suffix : suffixes) {
            assertHeldBySomebody(client.getLock(name(suffix)));
        }
    }

    private void assertAllFree(DistributedLockFactory client, String... suffixes) {
        for (String suffix : suffixes) {
            assertTrue(isFree(client.getLock(name(suffix))), () -> suffix + " should be free");
        }
    }

    private void eventuallyFree(DistributedLockFactory client, String suffix) {
        DistributedLock lock = client.getLock(name(suffix));
        eventually(suffix + " is free", () -> isFree(lock));
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_1_whoeverHoldsTheLockHoldsEachName() {
        DistributedLock lock = several("c", "a", "b", "a");
        DistributedLockFactory other = newFactory();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        assertHolds(holder, lock);
        assertHolds(holder, several("a", "b", "c"));
        assertHeldElsewhere(other, "a", "b", "c");
        assertHeldElsewhere(factory(), "a", "b", "c");
        assertHeldBySomebody(other.getLock(names("c", "d")));
        for (String suffix : List.of("a", "b", "c")) {
            assertHolds(holder, single(suffix));
        }
        holder.does("unlock()", lock::unlock);
        assertHoldsNothing(holder, lock);
        assertAllFree(other, "a", "b", "c");
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_2_aRefusedAcquisitionTakesNone() {
        DistributedLock lock = several("a", "b", "c");
        DistributedLockFactory other = newFactory();
        Actor holder = actor("holder");
        Actor asker = actor("asker");
        for (String taken : List.of("a", "b", "c")) {
            DistributedLock held = other.getLock(name(taken));
            holder.does("lock() of one name", held::lock);
            assertFalse(triesToLock(asker, lock), "tryLock() while another client holds " + taken);
            assertTrue(asker.call("tryAcquire()", lock::tryAcquire).isEmpty(), "tryAcquire() while another holds one");
            asker.call("tryAcquire(time)", () -> lock.tryAcquire(WAIT))
                    .ifPresent(handle -> fail("tryAcquire(time) while another client holds " + taken));
            assertFalse(
                    asker.call("tryLock(time)", () -> lock.tryLock(WAIT.toNanos(), TimeUnit.NANOSECONDS)),
                    "tryLock(time) while another client holds " + taken);
            assertHoldsNoneByQueries(asker, lock);
            holder.does("unlock() of one name", held::unlock);
            assertAllFree(other, "a", "b", "c");
        }
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_3_namesAreAcquiredInTheOrderOfTheirBytes() {
        // As UTF-16 compares them, the emoji comes before the letter that is as wide as two.
        List<String> inOrder = names("a", "b", "c", "\uff5a", "\ud83d\udd12");
        List<String> shuffled = new ArrayList<>(inOrder);
        Collections.reverse(shuffled);
        DistributedLock lock = factory().getLock(shuffled);
        assertEquals(inOrder, lock.names(), "the names in the order in which they are acquired");
        DistributedLockFactory other = newFactory();
        DistributedLock middle = other.getLock(name("c"));
        Actor holder = holderOf(middle);
        Actor waiter = actor("waiter");
        Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
        eventually("a waiter has taken the names before the one for which it waits", () -> isTaken(other, "a", "b"));
        always("the names behind it should stay free", A_WHILE, () -> isFree(other.getLock(name("\uff5a"))));
        assertFree(other.getLock(name("\ud83d\udd12")));
        holder.does("unlock()", middle::unlock);
        waiting.result();
        waiter.does("unlock()", () -> unlockAfterWait(lock));
    }

    /** Only looks, and does not ask for the lock: two clients that ask at once may keep each other from getting it. */
    private boolean isTaken(DistributedLockFactory client, String... suffixes) {
        return Arrays.stream(suffixes)
                .allMatch(suffix -> client.getLock(name(suffix)).isLocked());
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_4_locksWhoseNamesOverlapNeverWaitInACircle() {
        for (int i = 1; ; i++) {
            Calm calm = new Calm();
            Collection<String> meetings = meetingsInACircle("try " + i + " ");
            if (meetings.isEmpty()) {
                return;
            }
            // If the machine stood still, a holder may have lost the lock before the next one got it.
            assertTrue(i < Stage.TRIES && calm.isBroken(), meetings::toString);
            retried("the machine stood still");
        }
    }

    /** Has threads lock names in a circle, and returns what they saw of other holders of their names. */
    private Collection<String> meetingsInACircle(String again) {
        String a = again + "a";
        String b = again + "b";
        String c = again + "c";
        List<List<String>> circle = List.of(names(a, b), names(b, c), names(c, a));
        List<Pending<?>> all = new ArrayList<>();
        Queue<String> meetings = new ConcurrentLinkedQueue<>();
        List<AtomicInteger> inside = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        for (int i = 0; i < circle.size(); i++) {
            for (DistributedLockFactory client : List.of(factory(), newFactory())) {
                DistributedLock lock = client.getLock(circle.get(i));
                List<AtomicInteger> mine = List.of(inside.get(i), inside.get((i + 1) % circle.size()));
                Actor actor = actor("locks " + circle.get(i));
                all.add(actor.beginTo("lock() and unlock() again and again", () -> goRound(lock, mine, meetings)));
            }
        }
        all.forEach(rounds -> rounds.result(Scale.PATIENCE.multipliedBy(2)));
        assertAllFree(newFactory(), a, b, c);
        return meetings;
    }

    private void goRound(DistributedLock lock, List<AtomicInteger> inside, Queue<String> meetings) {
        for (int round = 0; round < CIRCLES; round++) {
            lock.lock();
            try {
                inside.forEach(name -> {
                    int holders = name.incrementAndGet();
                    if (holders > 1) {
                        meetings.add(holders + " hold one name at once");
                    }
                });
                // Long enough for somebody else to come in.
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
            } finally {
                inside.forEach(AtomicInteger::decrementAndGet);
                unlockAfterWait(lock);
            }
        }
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_5_oneDeadlineCoversAllNames() {
        DistributedLock lock = several("a", "b", "c");
        DistributedLockFactory other = newFactory();
        Actor first = holderOf(other.getLock(name("a")));
        holderOf(other.getLock(name("b")));
        Actor waiter = actor("waiter");
        Duration whole = Scale.PATIENCE.dividedBy(10);
        // Late in the wait, so that a lock which waits for the second name as long again is far above the bound.
        Duration untilFreed = whole.multipliedBy(3).dividedBy(4);
        Duration bound = whole.multipliedBy(3).dividedBy(2);
        assertOnceWithin(bound, "tryLock(time) that waits for two names", () -> {
            Pending<Duration> refused =
                    refusal(waiter, "tryLock(time)", () -> lock.tryLock(whole.toNanos(), TimeUnit.NANOSECONDS));
            pass(untilFreed);
            first.does("unlock()", other.getLock(name("a"))::unlock);
            Duration taken = refused.result();
            assertAtLeast(whole, "the time of a wait for two names", taken);
            first.does("lock()", other.getLock(name("a"))::lock);
            return taken;
        });
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_6_anInterruptHalfWayGivesBackWhatWasTaken() {
        DistributedLock lock = several("a", "b", "c");
        DistributedLockFactory other = newFactory();
        DistributedLock last = other.getLock(name("c"));
        Actor holder = holderOf(last);
        for (Actor.Action way : interruptibleWays(lock)) {
            Actor waiter = actor("waiter");
            Pending<?> waiting = waiter.beginTo("an interruptible acquisition", way);
            eventually("a waiter has taken the first names", () -> isTaken(other, "a", "b"));
            waiter.interrupt();
            waiting.failure(InterruptedException.class);
            assertFalse(waiter.isInterrupted(), "the interrupt status after InterruptedException");
            assertHoldsNoneByQueries(waiter, lock);
            assertAllFree(other, "a", "b");
        }
        holder.does("unlock()", last::unlock);
        inCalm(this::assertAnInterruptDoesNotEndLock);
    }

    private void assertAnInterruptDoesNotEndLock() {
        DistributedLock lock = several("a", "b", "c");
        DistributedLockFactory other = newFactory();
        DistributedLock last = other.getLock(name("c"));
        Actor holder = holderOf(last);
        Actor patient = actor("waiter that ignores interrupts");
        Pending<?> waiting = patient.beginTo("lock()", lock::lock);
        eventually("a waiter has taken the first names", () -> isTaken(other, "a", "b"));
        patient.interrupt();
        always("lock() should go on waiting after an interrupt", A_WHILE, () -> !waiting.isDone());
        holder.does("unlock()", last::unlock);
        waiting.result();
        assertTrue(patient.isInterrupted(), "the interrupt status after lock() should be set");
        assertHolds(patient, lock);
        patient.does("unlock()", lock::unlock);
        assertAllFree(other, "a", "b", "c");
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_7_aFailureHalfWayGivesBackWhatWasTaken() {
        connected(factory());
        Loser loser = loser(actor("loser of the last name"), "c");
        loser.awaitLoss();
        LeaseLostException e = loser.thread
                .beginTo("lock() by a thread that lost the last name and was not told", several("a", "b", "c")::lock)
                .failure(LeaseLostException.class);
        assertEquals(name("c"), e.lockName(), "lockName() of the exception");
        assertHoldsNoneByQueries(loser.thread, several("a", "b", "c"));
        DistributedLockFactory another = newFactory();
        assertAllFree(another, "a", "b");
        eventuallyFree(another, "c");
        closingInTime(again -> {
            DistributedLockFactory other = factory();
            DistributedLock last = other.getLock(name(again + "b"));
            Actor holder = holderOf(last);
            DistributedLockFactory client = newFactory();
            DistributedLock lock = client.getLock(names(again + "b", again + "a"));
            Actor waiter = actor("waiter");
            Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
            eventually("a waiter has taken the first name", () -> isTaken(other, again + "a"));
            close(client);
            waiting.failure(IllegalStateException.class);
            assertAllFree(other, again + "a");
            assertHolds(holder, last);
            holder.does("unlock()", last::unlock);
            assertAllFree(other, again + "b");
        });
    }

    @Test
    @Tag("chapter-15")
    @Needs({Capability.SEVERAL_NAMES, Capability.REENTRANT})
    public final void rule_15_8_theLockIsReentrantAsAWhole() {
        DistributedLock lock = several("a", "b");
        DistributedLock same = several("b", "a");
        DistributedLockFactory other = newFactory();
        Actor holder = actor("holder");
        holder.does("lock() three times", () -> {
            lock.lock();
            same.lockInterruptibly();
            assertTrue(lock.tryLock(), "tryLock() of what the thread holds");
        });
        for (int holds = 3; holds > 0; holds--) {
            assertEquals(holds, holder.call("getHoldCount()", same::getHoldCount), "getHoldCount()");
            assertHeldElsewhere(other, "a", "b");
            holder.does("unlock()", same::unlock);
        }
        assertHoldsNothing(holder, lock);
        assertAllFree(other, "a", "b");
    }

    @Test
    @Tag("chapter-15")
    @Needs({Capability.SEVERAL_NAMES, Capability.REENTRANT})
    public final void rule_15_9_theHolderOfSomeNamesReentersThem() {
        DistributedLock lock = several("a", "b");
        DistributedLock first = single("a");
        DistributedLockFactory other = newFactory();
        Actor holder = actor("holder");
        holder.does("lock() of a and of a and b", () -> {
            first.lock();
            lock.lock();
        });
        assertEquals(
                2, holder.call("getHoldCount()", first::getHoldCount), "getHoldCount() of a name that is held twice");
        holder.does("unlock() of a and b", lock::unlock);
        assertHeldElsewhere(other, "a");
        assertAllFree(other, "b");
        holder.does("lock() of a and b", lock::lock);
        holder.does("unlock() of a, which was locked before", first::unlock);
        assertHeldElsewhere(other, "a", "b");
        holder.does("lock() and unlock() of b", () -> {
            single("b").lock();
            single("b").unlock();
        });
        assertHeldElsewhere(other, "a", "b");
        DistributedLock overlapping = several("b", "c");
        holder.does("lock() of b and c", overlapping::lock);
        holder.does("unlock() of a and b", lock::unlock);
        assertAllFree(other, "a");
        assertHeldElsewhere(other, "b", "c");
        holder.does("unlock() of b and c", overlapping::unlock);
        assertAllFree(other, "b", "c");
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_10_aNameOfTheLockIsNotUnlockedAlone() {
        DistributedLock lock = several("a", "b");
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        for (String suffix : List.of("a", "b")) {
            assertHoldsNothing(holder, single(suffix));
        }
        assertHolds(holder, lock);
        assertHeldElsewhere(newFactory(), "a", "b");
        holder.does("unlock()", lock::unlock);
        holder.does("lock() of both, one by one", () -> {
            single("a").lock();
            single("b").lock();
        });
        assertHoldsNothing(holder, lock);
        assertHolds(holder, single("a"));
        assertHolds(holder, single("b"));
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_11_whoeverWouldWaitAgainstTheOrderIsRefused() {
        DistributedLock lock = several("a", "b");
        DistributedLock second = single("b");
        DistributedLockFactory other = newFactory();
        Actor holder = actor("holder");
        holder.does("lock() of b", second::lock);
        List<Actor.Action> waits = List.of(lock::lock, lock::lockInterruptibly, () -> lock.tryLock(1, TimeUnit.HOURS));
        for (Actor.Action wait : waits) {
            IllegalStateException e =
                    holder.beginTo("to wait for a while it holds b", wait).failure(IllegalStateException.class);
            assertTrue(
                    String.valueOf(e.getMessage()).contains(name("b")),
                    () -> "the message should contain the name that is held: " + e.getMessage());
            assertHoldsNoneByQueries(holder, lock);
            assertAllFree(other, "a");
            assertEquals(1, holder.call("getHoldCount()", second::getHoldCount), "getHoldCount() of b");
        }
        assertTrue(triesToLock(holder, lock), "tryLock() waits for nobody, and may take a while the thread holds b");
        assertHeldElsewhere(other, "a", "b");
        holder.does("unlock() of both", lock::unlock);
        assertAllFree(other, "a");
        assertHeldElsewhere(other, "b");
        for (Actor.Action wait :
                List.<Actor.Action>of(lock::acquire, lock::tryAcquire, () -> lock.tryAcquire(Duration.ofHours(1)))) {
            holder.beginTo("to acquire a handle while it holds b", wait).failure(IllegalStateException.class);
            assertAllFree(other, "a");
        }
        holder.does("unlock() of b", second::unlock);
        assertAllFree(other, "b");
    }

    /**
     * A thread holds two names, of which the first will be lost, since it was locked before with a lease that nobody
     * renews.
     */
    private Lease holdAndLose(
            Actor holder, LockOptions options, Queue<LossCause> told, Consumer<DistributedLock> then) {
        connected(factory());
        DistributedLock first = factory().getLock(name("a"), unrenewed(Scale.SHORT_LEASE));
        DistributedLock lock = factory().getLock(names("a", "b"), options);
        return holder.call("lock() of a, and of a and b", () -> {
            Optional<Lease> held = Optional.empty();
            for (int i = 0; held.isEmpty() && i < Stage.TRIES; i++) {
                held = heldAlso(first, lock);
            }
            Lease lease = held.orElseThrow();
            lease.onLoss(told::add);
            then.accept(lock);
            return lease;
        });
    }

    /** Locks one name and then all; returns the lease unless it was over by then. */
    private Optional<Lease> heldAlso(DistributedLock first, DistributedLock lock) throws Exception {
        locked(first);
        try {
            lock.lock();
        } catch (LeaseLostException e) {
            retried("the short lease of the first name was over before the second was there");
            return Optional.empty();
        }
        Optional<Lease> lease = lock.lease();
        if (lease.isEmpty()) {
            retried("the short lease of the first name was over before that of all names was read");
            // The call above reports the loss of the lock over all names. This one reports that of the first name's own
            // lock.
            first.isHeldByCurrentThread();
        }
        return lease;
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_12_theLossOfOneNameIsTheLossOfAll() {
        Queue<LossCause> told = new ConcurrentLinkedQueue<>();
        Actor holder = actor("holder");
        DistributedLock lock = several("a", "b");
        Lease lease = holdAndLose(holder, lease(Scale.LONG_LEASE), told, held -> {});
        assertNotAbove(Scale.SHORT_LEASE, lease);
        eventually("the lease of one name ends", () -> !lease.isValid());
        eventually("the loss is told", () -> !told.isEmpty());
        assertHoldsNoneByQueries(holder, lock);
        eventuallyFree(newFactory(), "b");
        assertEquals(Duration.ZERO, lease.remaining(), "what remains of a lease that was lost");
        LeaseLostException e = holder.beginTo("unlock()", lock::unlock).failure(LeaseLostException.class);
        assertEquals(lock.name(), e.lockName(), "lockName() of the exception");
        assertHoldsNothing(holder, lock);
        assertHoldsNothing(holder, single("b"));
        assertEquals(1, told.size(), () -> "how often the loss was told: " + told);
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_13_aThreadThatLostTheLockIsToldOnce() {
        Queue<LossCause> told = new ConcurrentLinkedQueue<>();
        Actor holder = actor("holder");
        DistributedLock lock = several("a", "b");
        holdAndLose(
                holder,
                lease(Scale.LONG_LEASE).toBuilder().interruptOnLoss(true).build(),
                told,
                held -> {});
        eventually("the thread is interrupted", holder::isInterrupted);
        eventually("the loss is told", () -> !told.isEmpty());
        holder.does("clear the interrupt status", Thread::interrupted);
        LeaseLostException e = holder.beginTo("tryLock()", lock::tryLock).failure(LeaseLostException.class);
        assertEquals(lock.name(), e.lockName(), "lockName() of the exception");
        DistributedLockFactory other = newFactory();
        eventuallyFree(other, "a");
        eventuallyFree(other, "b");
        holder.beginTo("tryLock() of a, which was lost too", single("a")::tryLock)
                .failure(LeaseLostException.class);
        assertTrue(triesToLock(holder, single("b")), "tryLock() of b, which was held as part of the lock alone");
        holder.does("unlock() of b", single("b")::unlock);
        assertTrue(triesToLock(holder, lock), "tryLock() after the thread was told");
        assertHolds(holder, lock);
        assertFalse(holder.isInterrupted(), "the interrupt status after the loss was told");
        holder.does("unlock()", lock::unlock);
        assertHoldsNothing(holder, lock);
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_14_aHandleHoldsAllNamesAndBelongsToNoThread() {
        DistributedLock lock = several("a", "b");
        DistributedLockFactory other = newFactory();
        Actor asker = actor("asker");
        Actor closer = actor("closer");
        List<Callable<LockHandle>> ways = List.of(
                lock::acquire,
                () -> lock.tryAcquire().orElseThrow(),
                () -> lock.tryAcquire(Duration.ofHours(1)).orElseThrow());
        for (Callable<LockHandle> way : ways) {
            LockHandle handle = asker.call("acquire a handle", way);
            assertEquals(names("a", "b"), handle.lockNames(), "lockNames() of the handle");
            assertEquals(lock.name(), handle.lockName(), "lockName() of the handle");
            assertTrue(handle.isValid(), "the handle should be valid until it is closed");
            assertHoldsNoneByQueries(asker, lock);
            assertFalse(triesToLock(asker, single("a")), "tryLock() of a name that a handle holds");
            assertHeldElsewhere(other, "a", "b");
            closer.does("close()", handle::close);
            assertFalse(handle.isValid(), "a handle that was closed");
            closer.does("close() again", handle::close);
            assertAllFree(other, "a", "b");
        }
    }

    @Test
    @Tag("chapter-15")
    @Needs({Capability.SEVERAL_NAMES, Capability.FENCING})
    public final void rule_15_15_eachNameHasAFencingToken() {
        DistributedLock lock = several("a", "b");
        Actor holder = actor("holder");
        long before = Long.MIN_VALUE;
        for (int i = 0; i < 3; i++) {
            long ofSingle = tokenOf(holder, single("b"), name("b"));
            long ofB = tokenOf(holder, lock, name("b"));
            assertTrue(ofB > ofSingle, () -> "the token of a name should grow from " + ofSingle + ", and is " + ofB);
            long last = tokenOf(newFactory(), holder);
            assertTrue(last > ofB, () -> "the token of a name should grow from " + ofB + ", and is " + last);
            long whole = holder.call("lock() and fencingToken()", () -> {
                lock.lock();
                try {
                    Lease lease = lock.lease().orElseThrow();
                    assertThrows(IllegalArgumentException.class, () -> lease.fencingToken(name("c")));
                    return lease.fencingToken().orElseThrow();
                } finally {
                    lock.unlock();
                }
            });
            long least = before;
            assertTrue(whole > least, () -> "the token of the lock should grow from " + least + ", and is " + whole);
            before = whole;
        }
    }

    private long tokenOf(DistributedLockFactory client, Actor holder) {
        return tokenOf(holder, client.getLock(name("b")), name("b"));
    }

    private static long tokenOf(Actor holder, DistributedLock lock, String name) {
        return holder.call("lock() and fencingToken(name)", () -> {
            lock.lock();
            try {
                return lock.lease().orElseThrow().fencingToken(name).orElseThrow();
            } finally {
                lock.unlock();
            }
        });
    }

    @Test
    @Tag("chapter-15")
    @Needs({Capability.SEVERAL_NAMES, Capability.AUTO_RENEWAL})
    public final void rule_15_16_eachNameIsRenewed() {
        connected(factory());
        DistributedLockFactory other = connected(newFactory());
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE.multipliedBy(2);
            DistributedLock lock = factory().getLock(names(again + "a", again + "b", again + "c"), lease(time));
            Actor holder = actor("holder");
            Lease lease = lockBy(holder, lock);
            always(
                    "the lock should be held for longer than its lease",
                    time.multipliedBy(5).dividedBy(4),
                    () -> {
                        assertHeldElsewhere(other, again + "a", again + "b", again + "c");
                        return lease.isValid();
                    });
            holder.does("unlock()", lock::unlock);
            assertAllFree(other, again + "a", again + "b", again + "c");
        });
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_17_aLockOverOneNameIsTheLockOfThatName() {
        DistributedLock lock = factory().getLock(Collections.nCopies(2, name()));
        assertEquals(name(), lock.name(), "name() of a lock over one name");
        assertEquals(List.of(name()), lock.names(), "names() of a lock over one name");
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        assertHolds(holder, lock());
        holder.does("unlock() through the lock of the name", lock()::unlock);
        assertHoldsNothing(holder, lock);
        assertThrows(IllegalArgumentException.class, () -> factory().getLock(List.of()), "getLock() over no name");
        assertThrows(IllegalArgumentException.class, () -> factory().getLock(List.of(name(), " ")), "a blank name");
        Collection<String> withNull = Arrays.asList(name(), null);
        assertThrows(NullPointerException.class, () -> factory().getLock(withNull), "getLock() over null");
        assertThrows(UnsupportedOperationException.class, several("a", "b")::newCondition, "newCondition()");
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_18_theLockIsLockedIfAnyNameIs() {
        DistributedLock lock = newFactory().getLock(names("a", "b", "c"));
        Actor observer = actor("observer");
        assertEquals(false, observer.call("isLocked()", lock::isLocked), "isLocked() while all names are free");
        for (String suffix : List.of("a", "b", "c")) {
            Actor holder = holderOf(single(suffix));
            assertEquals(true, observer.call("isLocked()", lock::isLocked), () -> "isLocked() while " + suffix + " is");
            holder.does("unlock()", single(suffix)::unlock);
        }
        assertEquals(false, observer.call("isLocked()", lock::isLocked), "isLocked() while all names are free again");
    }

    @Test
    @Tag("chapter-15")
    @Needs({Capability.SEVERAL_NAMES, Capability.CONDITIONS})
    @SuppressWarnings("WaitNotInLoop") // There is nothing to wait for.
    public final void rule_15_19_noConditionOfANameIsWaitedForWithinTheLock() {
        DistributedLock lock = several("a", "b");
        Condition condition = single("a").condition("ready");
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        holder.beginTo("await(1 ms) within a lock over several names", () -> condition.await(1, TimeUnit.MILLISECONDS))
                .failure(IllegalMonitorStateException.class);
        assertHolds(holder, lock);
        assertHeldElsewhere(newFactory(), "a", "b");
        holder.does("signal()", condition::signal);
        holder.does("unlock()", lock::unlock);
        holder.does("await(1 ms) within the lock of the name", () -> {
            single("a").lock();
            condition.await(1, TimeUnit.MILLISECONDS);
            single("a").unlock();
        });
        assertAllFree(newFactory(), "a", "b");
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_20_theLockIsAcquiredAfreshAtOnceAfterItsLoss() {
        holdAndLose(actor("holder"), lease(Scale.LONG_LEASE), new ConcurrentLinkedQueue<>(), this::acquireAfreshAtOnce);
        assertAllFree(newFactory(), "a", "b");
    }

    private void acquireAfreshAtOnce(DistributedLock lock) {
        while (lock.isHeldByCurrentThread()) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
        assertFalse(single("a").isHeldByCurrentThread(), "isHeldByCurrentThread() of the name that was lost");
        assertFalse(
                single("b").isHeldByCurrentThread(),
                "isHeldByCurrentThread() of a name that was held as part of a lost lock alone");
        lock.lock();
        assertTrue(lock.isHeldByCurrentThread(), "isHeldByCurrentThread() after lock()");
        lock.unlock();
    }

    @Test
    @Tag("chapter-15")
    @Needs({Capability.SEVERAL_NAMES, Capability.AUTO_RENEWAL})
    public final void rule_15_21_aNameThatIsTakenIsKeptWhileAnotherIsWaitedFor() {
        connected(factory());
        DistributedLockFactory other = connected(newFactory());
        inCalm(again -> {
            DistributedLock last = other.getLock(name(again + "b"));
            Actor holder = holderOf(last);
            Duration time = Scale.RENEWED_LEASE.multipliedBy(2);
            DistributedLock lock = factory().getLock(names(again + "a", again + "b"), unrenewed(time));
            Actor waiter = actor("waiter");
            Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
            eventually("a waiter has taken the first name", () -> isTaken(other, again + "a"));
            always(
                    "the first name should stay taken for longer than its lease",
                    time.multipliedBy(5).dividedBy(4),
                    () -> !isFree(other.getLock(name(again + "a"))));
            holder.does("unlock()", last::unlock);
            waiting.result();
            waiter.does("unlock()", lock::unlock);
            assertAllFree(other, again + "a", again + "b");
        });
    }

    @Test
    @Tag("chapter-15")
    @Needs(
            value = {Capability.SEVERAL_NAMES, Capability.SAFE_RELEASE},
            faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_15_22_anAcquisitionWhoseReplyIsLostLeavesNoName() {
        DistributedLock lock = connected(factory()).getLock(names("a", "b", "c"));
        DistributedLockFactory other = connected(newFactory());
        Actor asker = actor("asker");
        asker.does("lock() and unlock()", () -> {
            lock.lock();
            lock.unlock();
        });
        faults().inject(Fault.LOSE_NEXT_REPLY);
        assertBackendFailureIfAny(
                "tryLock() whose reply is lost",
                asker.beginTo("tryLock()", lock::tryLock).outcome());
        if (asker.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread)) {
            asker.does("unlock()", lock::unlock);
        }
        // Of several servers, one that was not asked loses the reply to whoever asks it next.
        for (String name : lock.names()) {
            DistributedLock single = other.getLock(name);
            eventually(name + " is free", () -> isFreeIfAnybodyAnswers(single));
        }
        DistributedLock all = other.getLock(lock.names());
        eventually("all names can be had", () -> isFreeIfAnybodyAnswers(all));
    }

    @Test
    @Tag("chapter-15")
    @Needs(
            value = {Capability.SEVERAL_NAMES, Capability.AUTO_RENEWAL, Capability.SAFE_RELEASE},
            processes = true,
            signals = true)
    public final void rule_15_23_whoeverIsStoppedWhileItWaitsForANameGetsAllNamesLater() {
        DistributedLockFactory other = connected(newFactory());
        withLease(Scale.RENEWED_LEASE.multipliedBy(2), Scale.RENEWED_LEASE.multipliedBy(6), (again, time) -> {
            String a = again + " a";
            String b = again + " b";
            DistributedLock first = other.getLock(name(a));
            DistributedLock last = other.getLock(name(b));
            Actor holder = holderOf(last);
            Peer peer = peer();
            Pending<?> there = actor("caller of the other process")
                    .beginTo(
                            "lock() in another process",
                            () -> granted(() -> peer.lockSeveral(names(a, b), lease(time))));
            eventually("a process that waits has taken the first name", () -> isTaken(other, a));
            peer.stop();
            Actor next = actor("next holder of the first name");
            next.does("lock()", first::lock);
            holder.does("unlock()", last::unlock);
            peer.goOn();
            always(
                    "a process that lost the first name should not get the lock while another one has that name",
                    Scale.SHORT_LEASE,
                    () -> !there.isDone());
            assertHolds(next, first);
            next.does("unlock()", first::unlock);
            there.result(Peer.LIMIT);
            assertTrue(peer.isHeld(Peer.nameOf(names(a, b))), "the process should hold the lock");
            assertHeldElsewhere(other, a, b);
            assertEquals("", peer.unlock(Peer.nameOf(names(a, b))), "what unlock() threw");
            assertAllFree(other, a, b);
        });
    }

    private static List<Actor.Action> interruptibleWays(DistributedLock lock) {
        return List.of(
                lock::lockInterruptibly,
                () -> lock.tryLock(1, TimeUnit.HOURS),
                lock::acquire,
                () -> lock.tryAcquire(Duration.ofHours(1)));
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_24_anInterruptOnEntryTakesNoName() {
        DistributedLock lock = several("a", "b");
        DistributedLockFactory other = newFactory();
        for (Actor.Action way : interruptibleWays(lock)) {
            Actor asker = actor("asker");
            asker.interrupt();
            asker.beginTo("an interruptible acquisition by an interrupted thread", way)
                    .failure(InterruptedException.class);
            assertFalse(asker.isInterrupted(), "the interrupt status after InterruptedException");
            assertHoldsNoneByQueries(asker, lock);
            assertAllFree(other, "a", "b");
        }
        Actor patient = actor("asker that ignores interrupts");
        patient.interrupt();
        patient.does("lock()", lock::lock);
        assertTrue(patient.isInterrupted(), "the interrupt status after lock() should be set");
        patient.does("unlock()", lock::unlock);
        assertTrue(patient.isInterrupted(), "the interrupt status after unlock() should be set");
        assertAllFree(other, "a", "b");
    }

    @Test
    @Tag("chapter-15")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_15_25_anInterruptThatMeetsTheLastGrantHasOneOutcome() {
        inCalm(() -> {
            DistributedLockFactory other = newFactory();
            assertOneOutcomeOfAnInterruptAtTheGrant(
                    other.getLock(name("b")), several("a", "b"), other.getLock(names("a", "b")));
        });
    }

    @Test
    @Tag("chapter-15")
    @Needs(value = Capability.SEVERAL_NAMES, faults = Fault.PAUSE)
    public final void rule_15_26_ensureValidTellsOfALossThatComesMeanwhile() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE;
            DistributedLockFactory client =
                    connected(newFactory(config -> config.commandTimeout(time.multipliedBy(3))));
            DistributedLockFactory other = connected(newFactory());
            DistributedLock lock = client.getLock(names(again + " a", again + " b"), unrenewed(time));
            DistributedLock last = client.getLock(name(again + " b"), unrenewed(time));
            Actor holder = actor("holder");
            // The lease of the last name ends first, when the request for the first name is under way.
            holder.does("lock() of the last name", last::lock);
            pass(time.dividedBy(4));
            assertTrue(triesToLock(holder, lock), "tryLock() of free names, of which the thread holds the last one");
            Lease lease = holder.call("lease()", () -> lock.lease().orElseThrow());
            faults().inject(Fault.PAUSE);
            LeaseLostException e = holder.beginTo(
                            "ensureValid() while no server answers",
                            () -> ensureUntilItIsTold(lease, time.multipliedBy(2)))
                    .failure(LeaseLostException.class);
            faults().heal();
            assertEquals(lock.name(), e.lockName(), "lockName() of the exception");
            assertHoldsNoneByQueries(holder, lock);
            eventuallyFree(other, again + " a");
            eventuallyFree(other, again + " b");
        });
    }

    /** A request may end without an answer before the lease does; then the next one meets its end. */
    private static void ensureUntilItIsTold(Lease lease, Duration atLeast) {
        while (true) {
            boolean wasOver = !lease.isValid();
            try {
                lease.ensureValid(atLeast);
                return;
            } catch (LockBackendException e) {
                assertFalse(wasOver, () -> "what was thrown after the end of the lease: " + e);
            }
        }
    }
}
