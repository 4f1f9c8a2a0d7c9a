// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
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
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 6 of the contract: lease, renewal and loss. */
public abstract class LeaseRules extends TimedWaitRules {
    /** The tolerance between two clocks, one of which counts milliseconds. */
    private static final Duration GRAIN = Duration.ofMillis(10);

    private static final int MANY_LOCKS = 50;
    private static final int TRIES = 5;
    private static final int LOSERS = 4;
    private static final int ROUNDS = 40;

    /** Bounds the rounds, which take long if waiters poll. */
    private static final Duration LOSING = Duration.ofSeconds(3);

    private static final int LISTENERS = 50;

    /** Options with a short lease, without renewal, that interrupt the holder at the loss. */
    private static final LockOptions LOUD =
            unrenewed(Scale.millis(20)).toBuilder().interruptOnLoss(true).build();

    LeaseRules() {}

    @Test
    @Tag("chapter-6")
    public final void rule_6_1_aFreshLeaseIsValidForNoLongerThanItsTime() {
        Actor actor = actor("holder");
        assertFresh(lockBy(actor, factory().getLock(name("a"), lease(Scale.LONG_LEASE))));
        assertFresh(acquire(actor, factory().getLock(name("b"), lease(Scale.LONG_LEASE))));
    }

    private static void assertFresh(Lease lease) {
        assertTrue(lease.isValid(), "a lease that was just granted should be valid");
        Duration remaining = lease.remaining();
        assertTrue(remaining.compareTo(Duration.ZERO) > 0, () -> "a valid lease remains for " + remaining);
        assertTrue(
                remaining.compareTo(Scale.LONG_LEASE) <= 0,
                () -> "a lease of " + Scale.LONG_LEASE + " remains for longer than that: " + remaining);
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_2_theRemainingTimeFalls() {
        Duration pause = Scale.millis(60);
        LockHandle lease = acquire(actor("holder"), factory().getLock(name(), unrenewed(Scale.LONG_LEASE)));
        Duration before = lease.remaining();
        pass(pause);
        Duration after = lease.remaining();
        assertTrue(
                before.minus(after).compareTo(pause.dividedBy(2)) >= 0,
                () -> "without renewal, " + before + " should be less by " + pause
                        + " when that time has passed, and was " + after);
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_3_aLeaseThatIsNotRenewedEnds() {
        // Long enough for a backend that rounds leases up to whole seconds.
        Duration time = Scale.RENEWED_LEASE.multipliedBy(2);
        DistributedLockFactory other = connected(newFactory());
        DistributedLockFactory own = connected(factory());
        Actor holder = actor("holder");
        lockBy(holder, own.getLock(name("a"), unrenewed(time)));
        acquire(holder, own.getLock(name("b"), unrenewed(time)));
        List<DistributedLock> locks = List.of(other.getLock(name("a")), other.getLock(name("b")));
        // A client that trusts no clock but its own counts from when it first saw the lease.
        locks.forEach(Stage::isFree);
        // The time is counted from after the grants, and checked later: a machine that stands still only gives the
        // leases more time.
        pass(untilFree(time));
        for (DistributedLock lock : locks) {
            assertTrue(
                    isFree(lock),
                    () ->
                            "another client should get the lock when the holder's lease, which is not renewed, has ended, and "
                                    + untilFree(time) + " after it first asked at the latest");
        }
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_4_failedAttemptsDoNotProlongALease() {
        DistributedLock contended = lockOfAnotherClient();
        acquire(actor("holder"), shortLived(name()));
        Actor contender = actor("contender");
        eventually(
                "a client that tries again and again gets the lock when the holder's lease has ended",
                () -> contender.call("tryLock()", () -> contended.tryLock()));
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_5_aLeaseIsInvalidBeforeAnotherClientHasTheLock() {
        DistributedLock other = lockOfAnotherClient();
        DistributedLock lock = shortLived(name());
        Actor holder = actor("holder");
        Lease lease = lockBy(holder, lock);
        Actor next = actor("next holder");
        boolean valid = next.call("tryLock() and isValid()", () -> {
            assertTrue(
                    other.tryLock(Scale.PATIENCE.dividedBy(2).toNanos(), TimeUnit.NANOSECONDS),
                    "another client should get the lock when the lease has ended");
            return lease.isValid();
        });
        assertFalse(valid, "the lease of the last holder should be invalid before another client has the lock");
        assertEquals(Duration.ZERO, lease.remaining(), "remaining() of a lease that has ended");
        assertFalse(
                holder.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread),
                "the last holder should not think that it holds a lock that another client has");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_6_aLeaseThatRanOutLeavesTheThreadNothing() {
        DistributedLock lock = shortLived(name());
        DistributedLock same = factory().getLock(name());
        Actor holder = actor("holder");
        Lease lease = lockBy(holder, lock);
        awaitLoss(lease);
        for (DistributedLock each : List.of(lock, same)) {
            assertFalse(
                    holder.call("isHeldByCurrentThread()", each::isHeldByCurrentThread),
                    "isHeldByCurrentThread() after the lease has run out");
            assertEquals(
                    0, holder.call("getHoldCount()", each::getHoldCount), "getHoldCount() after the lease has run out");
            assertEquals(Optional.empty(), holder.call("lease()", each::lease), "lease() after the lease has run out");
        }
        assertEquals(Duration.ZERO, lease.remaining(), "remaining() after the lease has run out");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_7_aLostLeaseNeverBecomesValidAgain() {
        Actor actor = actor("holder");
        LockHandle lost = acquire(actor, shortLived(name()));
        awaitLoss(lost);
        LockHandle fresh = acquire(actor, factory().getLock(name()));
        assertNotSame(lost, fresh, "a new hold should have a lease of its own");
        assertTrue(fresh.isValid(), "the lease of the new hold should be valid");
        assertFalse(lost.isValid(), "a lease that was lost should stay invalid when its client has the lock again");
        assertEquals(Duration.ZERO, lost.remaining(), "remaining() of a lease that was lost");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_8_aLeaseEndsWithItsHoldWhoeverIsNext() {
        DistributedLock lock = lock();
        Actor first = actor("first");
        Actor second = actor("second");
        Lease old = lockBy(first, lock);
        Pending<Lease> waiting = second.begin("lock()", () -> {
            lock.lock();
            return lock.lease().orElseThrow();
        });
        second.settle(waiting);
        first.does("unlock()", lock::unlock);
        Lease next = waiting.result();
        assertTrue(next.isValid(), "the lease of the next thread should be valid");
        assertFalse(
                old.isValid(), "a lease should be invalid after unlock(), also if the next thread here has the lock");
        assertEquals(Duration.ZERO, old.remaining(), "remaining() of a lease that was given up");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_9_optionsAreThoseOfTheLockObject() {
        Duration shorter = Scale.LONG_LEASE.dividedBy(4);
        DistributedLock longLock = factory().getLock(name(), unrenewed(Scale.LONG_LEASE));
        DistributedLock shortLock = factory().getLock(name(), unrenewed(shorter));
        Actor holder = actor("holder");
        LockHandle first = acquire(holder, shortLock);
        assertNotAbove(shorter, first);
        LockHandle second = handedTo("second", longLock, holder, first);
        assertAbove(shorter, second);
        LockHandle third = handedTo("third", shortLock, holder, second);
        assertNotAbove(shorter, third);
        holder.does("close()", third::close);
        assertAbove(shorter, acquire(holder, longLock));
    }

    private LockHandle handedTo(String next, DistributedLock lock, Actor holder, LockHandle held) {
        Actor waiter = actor(next);
        Pending<LockHandle> waiting = waiter.begin("acquire()", lock::acquire);
        waiter.settle(waiting);
        holder.does("close()", held::close);
        return waiting.result();
    }

    static void assertNotAbove(Duration bound, Lease lease) {
        Duration remaining = lease.remaining();
        assertTrue(
                remaining.compareTo(bound) <= 0,
                () -> "a lock object with a lease of " + bound + " should not give one that remains for " + remaining);
    }

    static void assertAbove(Duration bound, Lease lease) {
        Duration remaining = lease.remaining();
        assertTrue(
                remaining.compareTo(bound) > 0,
                () -> "a lock object with a lease of " + Scale.LONG_LEASE + " gave one that remains for " + remaining
                        + ", as if it had the options of another object of this name");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_10_waitingDoesNotUseUpTheLease() {
        Duration wait = Scale.SHORT_LEASE;
        Duration enough = Scale.LONG_LEASE.minus(wait.dividedBy(2));
        DistributedLockFactory own = connected(factory());
        DistributedLockFactory other = connected(newFactory());
        Actor holder = actor("holder");
        Actor waiter = actor("waiter");
        Duration best = Duration.ZERO;
        // A quorum's drift allowance grows with the lease, so it is measured without a wait.
        Duration allowance = Scale.LONG_LEASE.minus(
                waiter.call("acquire() and remaining()", () -> remainingAtGrant(other.getLock(name("free")))));
        for (int i = 0; i < TRIES && best.plus(allowance).compareTo(enough) < 0; i++) {
            if (i > 0) {
                retried("a grant came late, or did not come");
            }
            String name = name("held " + i);
            acquire(holder, own.getLock(name, unrenewed(wait)));
            Duration remaining = waiter.call("acquire() and remaining()", () -> remainingAtGrant(other.getLock(name)));
            best = remaining.compareTo(best) > 0 ? remaining : best;
        }
        Duration most = best;
        assertTrue(
                best.plus(allowance).compareTo(enough) >= 0,
                () -> "a lease of " + Scale.LONG_LEASE + " should begin with the grant, not with a wait of " + wait
                        + " before it; at most " + most + " were left");
    }

    private static Duration remainingAtGrant(DistributedLock lock) throws InterruptedException {
        return lock.acquire().remaining();
    }

    @Test
    @Tag("chapter-6")
    @Needs(faults = Fault.DELAY)
    public final void rule_6_11_aLeaseCountsFromBeforeTheRequest() {
        // A client may give a renewal no more than a third of the lease, which is longer than several round trips.
        Duration time = Duration.ofSeconds(9);
        Duration most = time.minus(FaultInjector.DELAY).plus(GRAIN);
        // A client may need several round trips to renew.
        Duration renewBelow = time.minus(FaultInjector.DELAY.multipliedBy(8));
        inCalm(() -> {
            Actor actor = actor("holder");
            DistributedLock lock = connected(factory()).getLock(name(), unrenewed(time));
            faults().inject(Fault.DELAY);
            LockHandle lease = acquire(actor, lock);
            assertCountsFromRequest(lease, most);
            awaitRemainingBelow(lease, renewBelow);
            actor.does("ensureValid()", () -> lease.ensureValid(renewBelow));
            assertCountsFromRequest(lease, most);
        });
    }

    private static void assertCountsFromRequest(Lease lease, Duration most) {
        Duration remaining = lease.remaining();
        assertTrue(
                remaining.compareTo(most) <= 0,
                () -> "the answer came " + FaultInjector.DELAY + " after the request, so that at most " + most
                        + " should remain, not " + remaining);
    }

    @Test
    @Tag("chapter-6")
    @Needs(faults = Fault.DELAY)
    public final void rule_6_12_aGrantThatIsOverOnArrivalIsNotHandedOut() {
        DistributedLock lock = connected(factory()).getLock(name(), unrenewed(FaultInjector.DELAY.dividedBy(2)));
        Actor actor = actor("locker");
        faults().inject(Fault.DELAY);
        Pending<?> locking = actor.beginTo("lock()", lock::lock);
        always(
                "lock() should not return with a lease that had run out before the grant arrived",
                FaultInjector.DELAY.multipliedBy(2),
                () -> !locking.isDone() || locking.outcome() != null);
        if (!locking.isDone()) {
            faults().heal();
            eventually("lock() that goes on trying ends when answers are fast again", locking::isDone);
        }
        assertBackendFailureIfAny("lock() whose grant was over on arrival", locking.outcome());
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_13_theHolderIsToldWhenItsLeaseRunsOut() {
        Actor actor = actor("holder");
        DistributedLock lock = shortLived(name("a"));
        Losses ofThread = new Losses(lockBy(actor, lock));
        Losses ofHandle = new Losses(acquire(actor, shortLived(name("b"))));
        assertEquals(LossCause.EXPIRED, ofThread.cause(), "the cause of the loss of a lease that was not renewed");
        assertEquals(LossCause.EXPIRED, ofHandle.cause(), "the cause of the loss of a handle that was not renewed");
        actor.beginTo("unlock()", lock::unlock).failure(LeaseLostException.class);
        pass(Scale.millis(50));
        assertEquals(1, ofThread.count(), "how often a listener was told of one loss");
        assertEquals(1, ofHandle.count(), "how often a listener was told of the loss of a handle");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_14_aListenerThatComesLateIsToldToo() {
        LockHandle lease = acquire(actor("holder"), shortLived(name()));
        awaitLoss(lease);
        Losses late = new Losses(lease);
        assertEquals(LossCause.EXPIRED, late.cause(), "what a listener is told that was registered after the loss");
        pass(Scale.millis(50));
        assertEquals(1, late.count(), "how often a listener was told that was registered after the loss");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_15_nobodyIsToldOfALeaseThatWasGivenUp() {
        inCalm(again -> {
            Duration time = Scale.SHORT_LEASE.multipliedBy(3);
            Actor actor = actor("holder");
            DistributedLock lock = connected(factory()).getLock(name(again + " a"), unrenewed(time));
            Lease ofThread = lockBy(actor, lock);
            Losses told = new Losses(ofThread);
            actor.does("unlock()", lock::unlock);
            LockHandle handle = acquire(actor, factory().getLock(name(again + " b"), unrenewed(time)));
            told.listenTo(handle);
            actor.does("close()", handle::close);
            told.listenTo(ofThread);
            told.listenTo(handle);
            always(
                    "no listener should be told of a lease that was given up, neither at once nor when it would have ended",
                    time.plus(Scale.millis(50)),
                    () -> told.count() == 0);
        });
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_16_everyListenerIsToldWhateverOthersThrow() {
        LockHandle lease = acquire(actor("holder"), shortLived(name()));
        Losses first = new Losses(lease);
        lease.onLoss(cause -> {
            throw new IllegalStateException("thrown by a listener on purpose");
        });
        lease.onLoss(cause -> {
            throw new AssertionError("thrown by a listener on purpose");
        });
        Losses last = new Losses(lease);
        first.cause();
        last.cause();
        awaitLoss(lease);
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_17_listenersRunInTurnOnAThreadOfTheFactorys() {
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger atOnce = new AtomicInteger();
        Actor holder = actor("holder");
        LockHandle lease = acquire(holder, shortLived(name()));
        int listeners = 3;
        for (int i = 0; i < listeners; i++) {
            lease.onLoss(cause -> {
                threads.add(Thread.currentThread());
                atOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
                pass(Scale.millis(20));
                running.decrementAndGet();
            });
        }
        eventually("all listeners are told", () -> threads.size() == listeners && running.get() == 0);
        holder.does("onLoss()", () -> lease.onLoss(cause -> threads.add(Thread.currentThread())));
        eventually("the late listener is told", () -> threads.size() == listeners + 1);
        assertEquals(1, atOnce.get(), "how many listeners of one lease ran at once");
        assertFalse(
                threads.contains(holder.thread()),
                "listeners should run on a thread of the factory's, not on the holder's");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_18_aThreadIsInterruptedWhenItLosesTheLock() {
        LockOptions options =
                unrenewed(Scale.SHORT_LEASE).toBuilder().interruptOnLoss(true).build();
        DistributedLock lock = connected(factory()).getLock(name(), options);
        Actor holder = actor("holder");
        holder.beginTo("long work with interruptOnLoss", () -> {
                    locked(lock);
                    new CountDownLatch(1).await();
                })
                .failure(InterruptedException.class);
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_19_nobodyIsInterruptedOtherwise() {
        inCalm(again -> {
            LockOptions silent = unrenewed(Scale.SHORT_LEASE);
            LockOptions loud = silent.toBuilder()
                    .lease(Scale.SHORT_LEASE.multipliedBy(3))
                    .interruptOnLoss(true)
                    .build();
            connected(factory());
            Actor notAsked = actor("holder without interruptOnLoss");
            Losses ofNotAsked = new Losses(lockBy(notAsked, factory().getLock(name(again + " a"), silent)));
            Actor inTime = actor("holder that unlocked in time");
            DistributedLock unlocked = factory().getLock(name(again + " b"), loud);
            inTime.does("lock()", () -> locked(unlocked));
            inTime.does("unlock()", unlocked::unlock);
            Actor byHandle = actor("thread that acquired a handle");
            Losses ofHandle = new Losses(acquire(byHandle, factory().getLock(name(again + " c"), loud)));
            ofNotAsked.cause();
            ofHandle.cause();
            pass(Scale.millis(50));
            for (Actor actor : List.of(notAsked, inTime, byHandle)) {
                assertFalse(actor.isInterrupted(), () -> "should not have been interrupted: the " + actor.name());
            }
        });
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_20_closingALostHandleThrowsOnce() {
        LockHandle lease = acquire(actor("holder"), shortLived(name()));
        awaitLoss(lease);
        Actor closer = actor("closer");
        LeaseLostException lost = closer.beginTo("close()", lease::close).failure(LeaseLostException.class);
        assertEquals(name(), lost.lockName(), "the name in the exception");
        assertEquals(LossCause.EXPIRED, lost.lossCause(), "the cause in the exception");
        closer.does("close() once more", lease::close);
    }

    @Test
    @Tag("chapter-6")
    @Needs(faults = Fault.PARTITION)
    public final void rule_6_21_ensureValidReturnsAtOnceIfEnoughIsLeft() {
        Actor actor = actor("holder");
        LockHandle lease = acquire(actor, factory().getLock(name(), unrenewed(Scale.LONG_LEASE)));
        faults().inject(Fault.PARTITION);
        actor.does(
                "ensureValid() of less than what remains, without a backend",
                () -> lease.ensureValid(Scale.LONG_LEASE.dividedBy(2)));
        actor.does("ensureValid() of nothing, without a backend", () -> lease.ensureValid(Duration.ZERO));
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_22_ensureValidExtendsTheLease() {
        withLease(Scale.RENEWED_LEASE.multipliedBy(2), Scale.RENEWED_LEASE.multipliedBy(10), (again, time) -> {
            // No lease is worth more than what is left after its request, which a busy machine takes long for.
            Duration atLeast = time.multipliedBy(5).dividedBy(8);
            DistributedLock other = connected(newFactory()).getLock(name(again));
            Actor actor = actor("holder");
            LockHandle lease = acquire(actor, connected(factory()).getLock(name(again), unrenewed(time)));
            long firstEnd = System.nanoTime() + time.toNanos();
            awaitRemainingBelow(lease, time.dividedBy(2));
            long before = System.nanoTime();
            actor.does("ensureValid()", () -> lease.ensureValid(atLeast));
            Duration remaining = lease.remaining();
            Duration owed = atLeast.minusNanos(System.nanoTime() - before).minus(GRAIN);
            assertTrue(
                    remaining.compareTo(owed) >= 0,
                    () -> "after ensureValid(" + atLeast + ") there should remain " + owed + " or more, not "
                            + remaining);
            eventually("the first lease would have ended", () -> System.nanoTime() - firstEnd > GRAIN.toNanos());
            assertHeldBySomebody(other);
            assertTrue(lease.isValid(), "the lease should outlast what it was before ensureValid()");
        });
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_23_ensureValidRefusesATimeThatNoLeaseGives() {
        Actor actor = actor("holder");
        LockHandle lease = acquire(actor, factory().getLock(name(), unrenewed(Scale.LONG_LEASE)));
        for (Duration atLeast : List.of(
                Duration.ofMillis(-1),
                Duration.ofSeconds(Long.MIN_VALUE),
                LockOptions.MAX_LEASE.plusMillis(1),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            actor.beginTo("ensureValid(" + atLeast + ")", () -> lease.ensureValid(atLeast))
                    .failure(IllegalArgumentException.class);
        }
        assertTrue(lease.isValid(), "the lease should be as it was after a time that was refused");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_43_ensureValidExtendsBeyondTheLease() {
        Actor holder = actor("holder");
        DistributedLock lock = connected(factory()).getLock(name(), unrenewed(Scale.LONG_LEASE));
        LockHandle lease = acquire(holder, lock);
        for (Duration atLeast : List.of(Scale.LONG_LEASE, Scale.LONG_LEASE.multipliedBy(2))) {
            Duration remaining = holder.call("ensureValid(" + atLeast + ")", () -> {
                lease.ensureValid(atLeast);
                return lease.remaining();
            });
            assertTrue(
                    remaining.compareTo(atLeast.multipliedBy(9).dividedBy(10)) > 0,
                    () -> "a lease that was extended to " + atLeast + " has only " + remaining + " left");
        }
        assertHeldBySomebody(lockOfAnotherClient());
        holder.does("close()", lease::close);
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_24_ensureValidRefusesALeaseThatWasGivenUp() {
        Actor actor = actor("holder");
        DistributedLock lock = lock();
        Lease ofThread = lockBy(actor, lock);
        actor.does("unlock()", lock::unlock);
        LockHandle handle = acquire(actor, lock);
        actor.does("close()", handle::close);
        for (Lease lease : List.of(ofThread, handle)) {
            actor.beginTo("ensureValid() of a lease that was given up", () -> lease.ensureValid(Scale.millis(1)))
                    .failure(IllegalStateException.class);
        }
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_25_ensureValidTellsOfALoss() {
        Actor actor = actor("holder");
        DistributedLock other = connected(newFactory()).getLock(name());
        LockHandle lease = acquire(actor, shortLived(name()));
        awaitLoss(lease);
        for (int i = 0; i < 2; i++) {
            LeaseLostException lost = actor.beginTo(
                            "ensureValid() after the loss", () -> lease.ensureValid(Scale.millis(1)))
                    .failure(LeaseLostException.class);
            assertEquals(name(), lost.lockName(), "the name in the exception");
            assertEquals(LossCause.EXPIRED, lost.lossCause(), "the cause in the exception");
        }
        assertFalse(lease.isValid(), "ensureValid() should not bring a lost lease back");
        assertTrue(getsInTime(actor("next holder"), other), "ensureValid() should not take a lost lock again");
    }

    @Test
    @Tag("chapter-6")
    @Needs(faults = Fault.FLUSH)
    public final void rule_6_26_ensureValidDoesNotTakeADeletedLockBack() {
        Duration time = Scale.RENEWED_LEASE;
        Actor actor = actor("holder");
        DistributedLock other = connected(newFactory()).getLock(name());
        LockHandle lease = acquire(actor, connected(factory()).getLock(name(), unrenewed(time)));
        awaitRemainingBelow(lease, time.multipliedBy(7).dividedBy(10));
        faults().inject(Fault.FLUSH);
        actor.beginTo(
                        "ensureValid() of a lock that the backend has forgotten",
                        () -> lease.ensureValid(time.multipliedBy(9).dividedBy(10)))
                .failure(LeaseLostException.class);
        assertFalse(lease.isValid(), "the lease of a lock that the backend has forgotten, once that is known");
        assertFree(other);
    }

    @Test
    @Tag("chapter-6")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_6_27_aHeldLockIsRenewed() {
        withLease(Scale.RENEWED_LEASE, Scale.RENEWED_LEASE.multipliedBy(6), (again, time) -> {
            Actor holder = actor("holder");
            DistributedLockFactory other = connected(newFactory());
            DistributedLockFactory own = connected(factory());
            Lease ofThread = lockBy(holder, own.getLock(name(again + " a"), lease(time)));
            LockHandle handle = acquire(holder, own.getLock(name(again + " b"), lease(time)));
            Actor contender = actor("contender");
            DistributedLock first = other.getLock(name(again + " a"));
            DistributedLock second = other.getLock(name(again + " b"));
            always(
                    "a lock that is held and renewed should not be had by another client",
                    time.multipliedBy(9).dividedBy(4),
                    () -> {
                        pass(Scale.millis(20));
                        return !contender.call("tryLock()", () -> first.tryLock() || second.tryLock());
                    });
            for (Lease lease : List.of(ofThread, handle)) {
                assertTrue(lease.isValid(), "the lease of a holder should be renewed for as long as it holds");
                assertNotAbove(time, lease);
            }
        });
    }

    @Test
    @Tag("chapter-6")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_6_28_manyLocksAreRenewedTogether() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE;
            DistributedLockFactory other = connected(newFactory());
            DistributedLockFactory own = connected(factory());
            Actor mortal = actor("thread that ends");
            lockBy(mortal, own.getLock(name(again + " of a thread that ends"), lease(time)));
            mortal.dismissAndJoin();
            Actor holder = actor("holder");
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < MANY_LOCKS; i++) {
                leases.add(acquire(holder, own.getLock(name(again + " many " + i), lease(time))));
            }
            pass(time.multipliedBy(5).dividedBy(4));
            Actor contender = actor("contender");
            for (Lease lease : leases) {
                assertTrue(lease.isValid(), "each of " + MANY_LOCKS + " locks that are held should be renewed");
                DistributedLock same = other.getLock(lease.lockName());
                assertFalse(
                        contender.call("tryLock()", () -> same.tryLock()),
                        "another client should not get one of " + MANY_LOCKS + " locks that are held and renewed");
            }
        });
    }

    @Test
    @Tag("chapter-6")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_6_29_aHandleOutlivesItsThread() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE;
            DistributedLock other = connected(newFactory()).getLock(name(again));
            Actor mortal = actor("thread that ends");
            LockHandle lease = acquire(mortal, connected(factory()).getLock(name(again), lease(time)));
            mortal.dismissAndJoin();
            pass(time.multipliedBy(5).dividedBy(4));
            assertTrue(lease.isValid(), "a handle belongs to no thread, so it should outlive the one that acquired it");
            assertHeldBySomebody(other);
            actor("closer").does("close()", lease::close);
            assertFree(other);
        });
    }

    @Test
    @Tag("chapter-6")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_6_30_aThreadThatEndsLosesItsLock() {
        withLeaseThatEnds((again, time) -> {
            DistributedLock other = connected(newFactory()).getLock(name(again));
            Actor mortal = actor("thread that ends");
            Losses losses = new Losses(lockBy(mortal, connected(factory()).getLock(name(again), lease(time))));
            // Ends in the middle of its lease, after renewal has begun.
            pass(time.dividedBy(2));
            mortal.dismissAndJoin();
            assertTrue(
                    gets(actor("next holder"), other, untilFree(time)),
                    "another client should get the lock of a thread that has ended without unlocking, "
                            + untilFree(time) + " after it first asked at the latest");
            assertEquals(LossCause.OWNER_DIED, losses.cause(), "the cause of the loss");
        });
    }

    @Test
    @Tag("chapter-6")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_6_31_renewalEndsWithTheUnlock() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE;
            DistributedLockFactory others = connected(newFactory());
            DistributedLock lock = connected(factory()).getLock(name(again), lease(time));
            Actor holder = actor("holder");
            holder.does("lock()", lock::lock);
            holder.does("unlock()", lock::unlock);
            pass(time.dividedBy(2));
            assertFree(others.getLock(name(again)));
            acquire(actor("next holder"), others.getLock(name(again), unrenewed(time)));
            assertTrue(
                    getsInTime(actor("third"), newFactory().getLock(name(again))),
                    "the lease of the next holder, which is not renewed, should not be prolonged by the renewal of the last one");
        });
    }

    @Test
    @Tag("chapter-6")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_6_32_maxHoldEndsTheHold() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE;
            LockOptions options = LockOptions.builder()
                    .lease(time)
                    .maxHold(time.multipliedBy(3).dividedBy(2))
                    .build();
            Duration least = time.multipliedBy(5).dividedBy(4);
            Duration most = time.multipliedBy(5).dividedBy(2);
            DistributedLock other = connected(newFactory()).getLock(name(again));
            DistributedLock lock = connected(factory()).getLock(name(again), options);
            Actor holder = actor("holder");
            long began = System.nanoTime();
            Losses losses = new Losses(lockBy(holder, lock));
            assertEquals(
                    LossCause.MAX_HOLD, losses.cause(), "the cause of the loss of a lock that was held for maxHold");
            Duration held = Duration.ofNanos(System.nanoTime() - began);
            assertTrue(
                    held.compareTo(least) >= 0,
                    () -> "renewal should go on until maxHold, and the lock was lost after " + held);
            assertTrue(
                    held.compareTo(most) <= 0,
                    () -> "renewal should not go on after maxHold, and the lock was lost after " + held);
            assertFalse(
                    holder.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread),
                    "isHeldByCurrentThread() after maxHold");
            assertTrue(getsInTime(actor("next holder"), other), "another client should get the lock after maxHold");
        });
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_33_ensureValidDoesNotExceedMaxHold() {
        // Long, since the lease must not end before the holder asks for more.
        Duration time = Scale.LONG_LEASE;
        LockOptions options = LockOptions.builder().lease(time).maxHold(time).build();
        Actor holder = actor("holder");
        LockHandle lease = acquire(holder, connected(factory()).getLock(name(), options));
        pass(Scale.millis(100));
        // All of maxHold, since the time of a slow acquisition counts against the lease and not against maxHold.
        holder.beginTo("ensureValid() of more than maxHold leaves", () -> lease.ensureValid(time))
                .failure(IllegalStateException.class);
        assertTrue(lease.isValid(), "a lease that cannot be extended should stay valid until its end");
    }

    @Test
    @Tag("chapter-6")
    @Needs(value = Capability.AUTO_RENEWAL, faults = Fault.FLUSH)
    public final void rule_6_34_renewalDoesNotTakeADeletedLockBack() {
        inCalm(again -> {
            DistributedLock other = connected(newFactory()).getLock(name(again));
            // A backend that answers late must still answer the renewal before the lease ends.
            Duration time = Scale.RENEWED_LEASE.multipliedBy(2);
            DistributedLock lock = connected(factory()).getLock(name(again), lease(time));
            Actor holder = actor("holder");
            Lease lease = lockBy(holder, lock);
            Losses losses = new Losses(lease);
            faults().inject(Fault.FLUSH);
            assertEquals(
                    LossCause.GONE, losses.cause(), "the cause of the loss of a lock that the backend has forgotten");
            assertFalse(lease.isValid(), "the lease of a lock that the backend has forgotten, once that is known");
            assertFalse(
                    holder.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread),
                    "isHeldByCurrentThread() after the backend has forgotten the lock and that is known");
            assertFree(other);
            LeaseLostException lost = holder.beginTo("unlock()", lock::unlock).failure(LeaseLostException.class);
            assertEquals(LossCause.GONE, lost.lossCause(), "the cause that unlock() tells");
        });
    }

    @Test
    @Tag("chapter-6")
    @Needs(
            value = {Capability.AUTO_RENEWAL, Capability.SAFE_RELEASE},
            faults = Fault.FLUSH)
    public final void rule_6_35_renewalLeavesTheNextHolderAlone() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE;
            DistributedLockFactory others = connected(newFactory());
            DistributedLock lock = connected(factory()).getLock(name(again), lease(time));
            Actor holder = actor("holder that loses its lock");
            Losses losses = new Losses(lockBy(holder, lock));
            faults().inject(Fault.FLUSH);
            acquire(actor("next holder"), others.getLock(name(again), unrenewed(time)));
            LossCause cause = losses.cause();
            assertTrue(
                    cause == LossCause.TAKEN || cause == LossCause.GONE,
                    () -> "a holder whose lock another client has should be told so, not " + cause);
            assertTrue(
                    getsInTime(actor("third"), newFactory().getLock(name(again))),
                    "the lease of the next holder, which is not renewed, should not be prolonged by the renewal of the previous one");
        });
    }

    @Test
    @Tag("chapter-6")
    @Needs(value = Capability.AUTO_RENEWAL, faults = Fault.PAUSE)
    public final void rule_6_36_aLossIsToldWhileTheBackendIsSilent() {
        inCalm(again -> {
            DistributedLock other = connected(newFactory()).getLock(name(again));
            DistributedLock lock = connected(factory()).getLock(name(again), lease(Scale.RENEWED_LEASE));
            Actor holder = actor("holder");
            Lease lease = lockBy(holder, lock);
            Losses losses = new Losses(lease);
            faults().inject(Fault.PAUSE);
            assertEquals(
                    LossCause.UNREACHABLE, losses.cause(), "the cause of a loss that no backend was there to report");
            assertFalse(lease.isValid(), "a lease that could not be renewed should not be valid when its time is over");
            assertFalse(
                    holder.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread),
                    "isHeldByCurrentThread() after the lease could not be renewed");
            faults().heal();
            assertTrue(
                    getsInTime(actor("next holder"), other),
                    "another client should get the lock when the backend answers again, whatever became of late renewals");
        });
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_37_aListenerThatWasCancelledIsNotTold() {
        DistributedLockFactory client = connected(newFactory());
        LockHandle handle = actor("has the handle").call("acquire()", client.getLock(name())::acquire);
        Queue<LossCause> cancelled = new ConcurrentLinkedQueue<>();
        Queue<LossCause> twice = new ConcurrentLinkedQueue<>();
        Consumer<LossCause> listener = twice::add;
        Lease.Registration early = handle.onLoss(cancelled::add);
        Lease.Registration first = handle.onLoss(listener);
        Lease.Registration second = handle.onLoss(listener);
        early.cancel();
        early.cancel();
        first.cancel();
        Losses last = new Losses(handle);
        client.close();
        assertEquals(LossCause.FACTORY_CLOSED, last.cause(), "what the last listener was told");
        eventually("a listener that was registered twice and cancelled once is told", () -> !twice.isEmpty());
        second.cancel();
        early.cancel();
        assertEquals(0, cancelled.size(), "how often the cancelled listener was told");
        assertEquals(1, twice.size(), "how often the listener was told that was registered twice and cancelled once");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_38_withLeaseSetsTheLeaseOfAnAcquisition() {
        Duration shorter = Scale.LONG_LEASE.dividedBy(4);
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.LONG_LEASE));
        Actor actor = actor("holder");
        LockHandle brief = acquire(actor, lock.withLease(shorter));
        assertNotAbove(shorter, brief);
        actor.does("close()", brief::close);
        LockHandle usual = acquire(actor, lock);
        assertAbove(shorter, usual);
        actor.does("close()", usual::close);
        DistributedLock longer = factory().getLock(name(), unrenewed(shorter)).withLease(Scale.LONG_LEASE);
        actor.does("lock() through the view", () -> locked(longer));
        assertAbove(shorter, actor.call("lease()", longer::lease).orElseThrow());
        actor.does("unlock()", longer::unlock);
        for (Duration senseless : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> lock.withLease(senseless),
                    () -> "withLease(" + senseless + ")");
        }
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_39_aLockThatIsHandedOverComesWithItsWholeLease() {
        // Much longer than what the holder uses of it: a holder that comes late must still be able to close its handle.
        DistributedLock lock = connected(factory()).getLock(name(), unrenewed(Scale.RENEWED_LEASE.multipliedBy(10)));
        Actor holder = actor("holder");
        Actor next = actor("next holder");
        LockHandle fresh = acquire(next, lock);
        Duration whole = fresh.remaining();
        next.does("close()", fresh::close);
        Duration left = whole.minus(Scale.millis(800));
        Duration enough = whole.minus(Scale.millis(400));
        Duration best = Duration.ZERO;
        for (int i = 0; i < TRIES && best.compareTo(enough) < 0; i++) {
            if (i > 0) {
                retried("a grant came late, or did not come");
            }
            LockHandle held = acquire(holder, lock);
            Pending<Duration> waiting = next.begin("lock() and remaining()", () -> {
                lock.lock();
                Duration remaining = lock.lease().orElseThrow().remaining();
                lock.unlock();
                return remaining;
            });
            next.settle(waiting);
            awaitRemainingBelow(held, left);
            holder.does("close()", held::close);
            Duration remaining = waiting.result();
            best = remaining.compareTo(best) > 0 ? remaining : best;
        }
        Duration most = best;
        assertTrue(
                best.compareTo(enough) >= 0,
                () -> "a holder that took over within its client should get a whole lease, of which at least " + enough
                        + " are left, not " + most + " that the last holder left");
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_40_noInterruptComesAfterTheLossWasTold() {
        Map<Actor, Pending<Integer>> losers = new LinkedHashMap<>();
        for (int i = 0; i < LOSERS; i++) {
            DistributedLockFactory factory = connected(factory());
            String name = name("of loser " + i);
            Actor loser = actor("loser " + i);
            losers.put(loser, loser.begin("lock() and lose", () -> {
                LockOptions options = LOUD;
                int lost = 0;
                int late = 0;
                long until = System.nanoTime() + LOSING.toNanos();
                for (int round = 0; round < ROUNDS && (lost == 0 || System.nanoTime() - until < 0); round++) {
                    if (lockAndLose(factory.getLock(name, options))) {
                        // Once for long: on a busy machine a late interrupt may take its time.
                        pass(Scale.millis(lost++ == 0 ? 100 : 5));
                        late += Thread.interrupted() ? 1 : 0;
                    } else {
                        retried("a lease was over before its grant arrived; the next one is twice as long");
                        options = options.toBuilder()
                                .lease(options.lease().multipliedBy(2))
                                .build();
                    }
                }
                assertTrue(lost > 0, "a lease should have outlasted its own grant");
                return late;
            }));
        }
        losers.forEach((loser, late) -> assertEquals(
                0,
                late.result(Scale.PATIENCE.multipliedBy(3)),
                () -> "interrupts of " + loser.name() + " that came after it was told of a loss"));
    }

    /**
     * Locks with {@code interruptOnLoss}, waits until the lease has run out, unlocks, and clears the interrupt status.
     * Returns {@code false} if the lease was over before the grant arrived.
     */
    private boolean lockAndLose(DistributedLock lock) {
        Thread.interrupted();
        try {
            lock.lock();
        } catch (LockBackendException e) {
            return false;
        }
        lock.lease().ifPresent(LeaseRules::listenOften);
        awaitLossOf(lock);
        assertThrows(LeaseLostException.class, lock::unlock, "unlock() after the loss");
        Thread.interrupted();
        return true;
    }

    /** Waits until the current thread does not hold a lock any more, without taking the processor from others. */
    private static void awaitLossOf(DistributedLock lock) {
        while (lock.isHeldByCurrentThread()) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
    }

    /** Registers many listeners, so that a loss takes the factory long. */
    private static void listenOften(Lease lease) {
        for (int i = 0; i < LISTENERS; i++) {
            lease.onLoss(cause -> {});
        }
    }

    @Test
    @Tag("chapter-6")
    public final void rule_6_41_itsOwnLossDoesNotEndAnAcquisition() {
        DistributedLock lock = connected(factory()).getLock(name(), LOUD);
        long until = System.nanoTime() + LOSING.toNanos();
        List<Pending<?>> losers = new ArrayList<>();
        for (int i = 0; i < LOSERS; i++) {
            boolean timed = i % 2 == 0;
            losers.add(actor("loser " + i).beginTo("lock and lose in turn, interrupted by nobody", () -> {
                // Twice at least, since it is the acquisition after a loss that must not fail.
                for (int round = 0; round < 2 || (round < ROUNDS / 2 && System.nanoTime() - until < 0); round++) {
                    try {
                        if (timed) {
                            assertTrue(lock.tryLock(1, TimeUnit.HOURS), "tryLock() with plenty of time");
                        } else {
                            lock.lockInterruptibly();
                        }
                    } catch (LockBackendException e) {
                        // The lease was over before the grant arrived.
                        Thread.interrupted();
                        continue;
                    }
                    awaitLossOf(lock);
                    assertThrows(LeaseLostException.class, lock::unlock, "unlock() after the loss");
                    Thread.interrupted();
                }
            }));
        }
        losers.forEach(loser -> loser.result(Scale.PATIENCE.multipliedBy(3)));
    }

    @Test
    @Tag("chapter-6")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_6_42_interruptingTheThreadsOfAGroupDoesNotEndRenewal() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE;
            DistributedLock lock = newFactory().getLock(name(again), lease(time));
            ThreadGroup group = new ThreadGroup("group of the first that locks");
            Lease lease = lockBy(actorIn(group, "holder"), lock);
            always(
                    "a lock should be renewed though the group of the thread that locked first is interrupted",
                    time.multipliedBy(9).dividedBy(4),
                    () -> {
                        group.interrupt();
                        pass(Scale.millis(20));
                        return lease.isValid();
                    });
            assertHeldBySomebody(lockOfAnotherClient(again));
        });
    }

    private DistributedLock lockOfAnotherClient(String suffix) {
        return newFactory().getLock(name(suffix));
    }

    /** The losses that listeners were told of. */
    private static final class Losses {
        private final Queue<LossCause> told = new ConcurrentLinkedQueue<>();

        Losses(Lease lease) {
            listenTo(lease);
        }

        void listenTo(Lease lease) {
            lease.onLoss(told::add);
        }

        int count() {
            return told.size();
        }

        /** Waits for the first loss, and returns its cause. */
        LossCause cause() {
            eventually("a listener is told that the lease was lost", () -> !told.isEmpty());
            return told.element();
        }
    }

    private DistributedLock shortLived(String name) {
        return connected(factory()).getLock(name, unrenewed(Scale.SHORT_LEASE));
    }

    final LockHandle acquire(Actor actor, DistributedLock lock) {
        return actor.call("acquire()", () -> granted(lock::acquire));
    }

    /**
     * Makes an actor's thread the holder, and returns its lease. If the machine stood still, a short lease may be over.
     */
    final Lease lockBy(Actor actor, DistributedLock lock) {
        return actor.call("lock() and lease()", () -> {
            for (int i = 0; i < TRIES; i++) {
                locked(lock);
                Optional<Lease> lease = lock.lease();
                if (lease.isPresent()) {
                    return lease.get();
                }
                retried("a short lease was over before it was read");
            }
            return fail("lease() should not be empty after lock()");
        });
    }

    private static boolean getsInTime(Actor actor, DistributedLock lock) {
        return gets(actor, lock, Scale.PATIENCE.dividedBy(2));
    }

    static boolean gets(Actor actor, DistributedLock lock, Duration wait) {
        return actor.call("tryLock() for a while", () -> lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS));
    }

    /** Waits until a lease is reported lost. A lease whose time is over may still be renewed. */
    static void awaitLoss(Lease lease) {
        new Losses(lease).cause();
    }

    private static void awaitRemainingBelow(Lease lease, Duration bound) {
        eventually("the remaining time falls", () -> lease.remaining().compareTo(bound) < 0);
    }
}
