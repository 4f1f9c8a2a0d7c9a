// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 3 of the contract: re-entry. */
public abstract class ReentryRules extends LossRules {
    private static final int HOLDS = 3;

    /** A lease that is not renewed, and the time within it after which re-entry asks the backend. */
    private static final Duration LEASE = Scale.RENEWED_LEASE.multipliedBy(4);

    // After half of it, and so late that less than two seconds are left: a lock that counts whole seconds keeps one.
    private static final Duration LATE = LEASE.dividedBy(2).plus(Scale.millis(100));

    ReentryRules() {}

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_1_theHolderMayLockAgain() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        holder.does("lock() again", lock::lock);
        assertHolds(holder, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.QUERIES)
    public final void rule_3_2_holdCountGoesUpAndDown() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        assertHoldCount(0, holder, lock);
        for (int holds = 1; holds <= HOLDS; holds++) {
            holder.does("lock()", lock::lock);
            assertHoldCount(holds, holder, lock);
        }
        for (int holds = HOLDS - 1; holds >= 0; holds--) {
            holder.does("unlock()", lock::unlock);
            assertHoldCount(holds, holder, lock);
        }
    }

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_3_onlyTheLastUnlockFrees() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        lockOften(holder, lock);
        for (int left = HOLDS - 1; left > 0; left--) {
            holder.does("unlock()", lock::unlock);
            assertHolds(holder, lock);
            assertHeldBySomebody(other);
        }
        holder.does("the last unlock()", lock::unlock);
        assertFalse(isHeldBy(holder, lock), "the lock was unlocked as often as locked");
        assertFree(other);
    }

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_4_tryLockReEnters() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        assertTrue(triesToLock(holder, lock), "tryLock() by the holder");
        assertHoldCount(2, holder, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_5_timedTryLockReEnters() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        long[] times = {1_000, 0, -1, Long.MIN_VALUE};
        for (long time : times) {
            assertTrue(
                    holder.call("timed tryLock()", () -> lock.tryLock(time, TimeUnit.MILLISECONDS)),
                    () -> "tryLock(" + time + ", MILLISECONDS) by the holder");
        }
        assertHoldCount(1 + times.length, holder, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_6_lockInterruptiblyReEnters() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        holder.does("lockInterruptibly()", lock::lockInterruptibly);
        assertHoldCount(2, holder, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.NAMES)
    public final void rule_3_7_anyLockObjectOfTheNameReEnters() {
        DistributedLock first = factory().getLock(name());
        DistributedLock second = factory().getLock(name(), lease(Scale.RENEWED_LEASE));
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        holder.does("lock()", first::lock);
        assertTrue(triesToLock(holder, second), "tryLock() by the holder, through another object");
        assertHoldCount(2, holder, first);
        assertHoldCount(2, holder, second);
        holder.does("unlock()", first::unlock);
        assertHeldBySomebody(other);
        holder.does("unlock()", first::unlock);
        assertFree(other);
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, faults = Fault.PARTITION)
    public final void rule_3_8_reEntryNeedsNoBackend() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        faults().inject(Fault.PARTITION);
        holder.does("lock()", lock::lock);
        holder.does("lockInterruptibly()", lock::lockInterruptibly);
        assertTrue(triesToLock(holder, lock), "tryLock() by the holder");
        assertTrue(
                holder.call("timed tryLock()", () -> lock.tryLock(1, TimeUnit.SECONDS)),
                "timed tryLock() by the holder");
        assertHoldCount(5, holder, lock);
        holder.does("all but the last unlock()", () -> {
            for (int i = 1; i < 5; i++) {
                lock.unlock();
            }
        });
        assertHoldCount(1, holder, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_9_theHolderReEntersPastThoseWhoWait() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Actor here = actor("waits here");
        Pending<?> waitingHere = here.beginTo("lock()", lock::lock);
        Actor there = actor("waits in another client");
        Pending<?> waitingThere = there.beginTo("lock()", other::lock);
        here.settle(waitingHere);
        there.settle(waitingThere);
        holder.does("lock()", lock::lock);
        assertTrue(triesToLock(holder, lock), "tryLock() by the holder while others wait");
        assertHoldCount(HOLDS, holder, lock);
        assertFalse(waitingHere.isDone() || waitingThere.isDone(), "nobody gets the lock while it is held");
        holder.does("unlock() as often", () -> {
            for (int i = 0; i < HOLDS; i++) {
                lock.unlock();
            }
        });
        here.beginTo("unlock()", lock::unlock);
        there.beginTo("unlock()", other::unlock);
        waitingHere.result();
        waitingThere.result();
    }

    @Test
    @Tag("chapter-3")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_3_10_theHolderCannotAcquireAHandle() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        holder.begin("acquire()", lock::acquire).failure(IllegalStateException.class);
        holder.begin("tryAcquire()", () -> lock.tryAcquire(Scale.PATIENCE)).failure(IllegalStateException.class);
        holder.begin("tryAcquire()", () -> lock.tryAcquire(Duration.ZERO)).failure(IllegalStateException.class);
        assertHoldCount(1, holder, lock);
        holder.does("unlock()", lock::unlock);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-3")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_3_11_aHandleIsNotReEntered() {
        DistributedLock lock = lock();
        Actor actor = actor("has the handle");
        LockHandle handle = actor.call("acquire()", lock::acquire);
        assertFalse(triesToLock(actor, lock), "tryLock() while a handle has the lock");
        assertFalse(
                actor.call("timed tryLock()", () -> lock.tryLock(0, TimeUnit.SECONDS)),
                "timed tryLock() while a handle has the lock");
        assertTrue(
                actor.call("tryAcquire()", () -> lock.tryAcquire(Duration.ZERO)).isEmpty(),
                "tryAcquire() while another handle has the lock");
        assertTrue(handle.isValid(), "the handle is still valid");
        actor.does("close()", handle::close);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_12_anUnlockTooManyThrows() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        lockOften(holder, lock);
        holder.does("unlock() as often", () -> {
            for (int i = 0; i < HOLDS; i++) {
                lock.unlock();
            }
        });
        assertHoldsNothing(holder, lock);
        assertHoldCount(0, holder, lock);
        assertFree(other);
        holder.does("lock()", lock::lock);
        assertHoldCount(1, holder, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.QUERIES)
    public final void rule_3_13_holdsAreCountedByNameAndThread() {
        DistributedLock lock = lock();
        DistributedLock another = factory().getLock(name("b"));
        Actor holder = actor("holder");
        Actor next = actor("next");
        lockOften(holder, lock);
        holder.does("lock() of another name", another::lock);
        assertHoldCount(HOLDS, holder, lock);
        assertHoldCount(1, holder, another);
        assertHoldCount(0, next, lock);
        holder.does("unlock() of another name", another::unlock);
        assertHoldCount(HOLDS, holder, lock);
        assertHoldCount(0, holder, another);
        holder.does("unlock() as often", () -> {
            for (int i = 0; i < HOLDS; i++) {
                lock.unlock();
            }
        });
        next.does("lock()", lock::lock);
        assertHoldCount(1, next, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.LEASES)
    public final void rule_3_14_theLeaseIsValidUntilTheLastUnlock() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        holder.does("lock() twice", () -> {
            lock.lock();
            lock.lock();
        });
        Lease lease = heldLease(holder, lock);
        holder.does("unlock()", lock::unlock);
        assertHoldCount(1, holder, lock);
        assertTrue(lease.isValid(), "the lease goes on until the last hold is undone");
        assertHeldBySomebody(other);
        holder.does("the last unlock()", lock::unlock);
        assertFalse(lease.isValid(), "the lease ends with the last hold");
        assertHoldCount(0, holder, lock);
        assertFree(other);
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.LEASES)
    public final void rule_3_15_reEntryDoesNotProlongTheLease() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.LONG_LEASE));
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        pass(Scale.millis(50));
        Duration before = heldLease(holder, lock).remaining();
        holder.does("lock() again", lock::lock);
        assertTrue(
                heldLease(holder, lock).remaining().compareTo(before) <= 0,
                "a lease that is not renewed only gets shorter, because re-entry does not ask the backend");
    }

    @Test
    @Tag("chapter-3")
    @Needs(
            value = {Capability.REENTRANT, Capability.AUTO_RENEWAL},
            beyond = Beyond.LEASES)
    public final void rule_3_16_anInnerUnlockDoesNotEndRenewal() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE.multipliedBy(2);
            DistributedLock other = connected(newFactory()).getLock(name(again));
            DistributedLock lock = connected(factory()).getLock(name(again), lease(time));
            Actor holder = actor("holder");
            holder.does("lock() twice", () -> {
                lock.lock();
                lock.lock();
            });
            Lease lease = heldLease(holder, lock);
            holder.does("unlock() once", lock::unlock);
            always(
                    "the lease is renewed until the last unlock()",
                    time.multipliedBy(5).dividedBy(4),
                    lease::isValid);
            assertHolds(holder, lock);
            assertHeldBySomebody(other);
        });
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.LEASES)
    public final void rule_3_17_everyUnlockAfterALossTellsOfIt() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        Actor holder = actor("holder");
        holdAndLose(holder, lock, lock);
        assertHoldCount(0, holder, lock);
        assertUnlockTellsOfTheLoss(holder, lock);
        assertUnlockTellsOfTheLoss(holder, lock);
        assertHoldsNothing(holder, lock);
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.LEASES)
    public final void rule_3_18_lockingAfterALossBeginsWithOneHold() {
        DistributedLock shortly = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holdAndLose(holder, shortly, shortly);
        holder.does("lock() again", lock::lock);
        assertHoldCount(1, holder, lock);
        assertHeldBySomebody(lockOfAnotherClient());
        holder.does("unlock()", lock::unlock);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-3")
    @Needs(Capability.REENTRANT)
    public final void rule_3_19_anInterruptedThreadDoesNotReEnterInterruptibly() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        holder.interrupt();
        holder.beginTo("lockInterruptibly()", lock::lockInterruptibly).failure(InterruptedException.class);
        holder.interrupt();
        holder.begin("timed tryLock()", () -> lock.tryLock(1, TimeUnit.SECONDS)).failure(InterruptedException.class);
        assertFalse(holder.isInterrupted(), "the interrupt status should be cleared by InterruptedException");
        assertHoldCount(1, holder, lock);
        holder.does("unlock()", lock::unlock);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-3")
    @Needs(value = Capability.REENTRANT, beyond = Beyond.LEASES)
    public final void rule_3_20_aViewWithAnotherLeaseIsTheSameLock() {
        DistributedLock lock = lock();
        DistributedLock view = lock.withLease(Scale.LONG_LEASE);
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        assertEquals(lock.name(), view.name(), "the name of the view");
        holder.does("lock() through the view", view::lock);
        assertTrue(triesToLock(holder, lock), "tryLock() by the holder, through the lock itself");
        assertHoldCount(2, holder, view);
        assertHoldCount(2, holder, lock);
        assertFalse(triesToLock(actor("another thread"), lock), "tryLock() of what is held through the view");
        assertHeldBySomebody(other);
        holder.does("unlock()", lock::unlock);
        assertHeldBySomebody(other);
        holder.does("unlock() through the view", view::unlock);
        assertFree(other);
    }

    @Test
    @Tag("chapter-3")
    @Needs(
            value = {Capability.REENTRANT, Capability.SAFE_RELEASE},
            faults = Fault.FLUSH,
            beyond = {Beyond.CLIENTS, Beyond.LEASES})
    public final void rule_3_21_aLateReEntryIntoALockThatIsLostTellsOfTheLoss() {
        // A stall that outlasts what is left of the lease keeps the holder from asking, and then it may go on.
        withLease(LEASE, LEASE.multipliedBy(3), (again, lease) -> {
            Map<String, Call> calls = new TreeMap<>(LOCKS);
            calls.putAll(TRY_LOCKS);
            Actor next = actor("next holder");
            DistributedLockFactory other = connected(newFactory());
            connected(factory());
            Map<String, Actor> holders = new TreeMap<>();
            calls.keySet().forEach(call -> holders.put(call, holderOf(call + " " + again, lease)));
            faults().inject(Fault.FLUSH);
            calls.keySet().forEach(call -> next.does("lock()", other.getLock(name(call + " " + again))::lock));
            pass(lease.dividedBy(2));
            calls.forEach((what, call) -> {
                Actor holder = Objects.requireNonNull(holders.get(what));
                String name = name(what + " " + again);
                DistributedLock lock = factory().getLock(name, unrenewed(lease));
                LeaseLostException e = holder.beginTo(what + " by a holder that lost the lock", () -> call.about(lock))
                        .failure(LeaseLostException.class);
                assertEquals(name, e.lockName(), "lockName() of the exception");
                assertHoldCount(0, holder, lock);
                assertHolds(next, other.getLock(name));
                assertHeldBySomebody(newFactory().getLock(name));
            });
        });
    }

    private Actor holderOf(String suffix, Duration lease) {
        Actor holder = actor("holder");
        holder.does("lock()", factory().getLock(name(suffix), unrenewed(lease))::lock);
        return holder;
    }

    @Test
    @Tag("chapter-3")
    @Needs(
            value = Capability.REENTRANT,
            beyond = {Beyond.CLIENTS, Beyond.LEASES})
    public final void rule_3_22_aLateReEntryDoesNotProlongTheLease() {
        inCalm(again -> {
            DistributedLock other = connected(newFactory()).getLock(name(again));
            DistributedLock lock = connected(factory()).getLock(name(again), unrenewed(LEASE));
            Actor holder = holderOf(again, LEASE);
            Lease lease = heldLease(holder, lock);
            pass(LATE);
            Duration before = lease.remaining();
            holder.does("lock() again", lock::lock);
            Duration after = lease.remaining();
            assertTrue(after.compareTo(before) <= 0, () -> before + " should not become " + after + " by re-entry");
            assertHolds(holder, lock);
            Actor next = actor("next holder");
            eventually("another client gets the lock", () -> triesToLock(next, other));
            assertFalse(lease.isValid(), "the lease should be over when another client has the lock");
        });
    }

    @Test
    @Tag("chapter-3")
    @Needs(
            value = Capability.REENTRANT,
            beyond = {Beyond.CLIENTS, Beyond.LEASES})
    public final void rule_3_23_aLeaderThatLostItsLockUnseenDoesNotLeadOn() {
        connected(factory());
        for (boolean taken : new boolean[] {false, true}) {
            String suffix = taken ? "taken" : "free";
            Loser loser = loser(actor("leader"), suffix);
            Leader first = new Leader(loser.thread, loser.lock, true);
            Leader second = new Leader(actor("follower"), newFactory().getLock(name(suffix)), false);
            loser.awaitLoss();
            if (taken) {
                second.leadsInTime();
            }
            first.round();
            assertFalse(first.leads, "a leader that lost its lock unseen should not lead on after its next tryLock()");
            second.leadsInTime();
            first.round();
            assertFalse(first.leads, "a leader should not lead while another client holds the lock");
            second.round();
            assertTrue(second.leads, "a leader that holds the lock should lead on");
        }
    }

    @Test
    @Tag("chapter-3")
    @Needs(
            value = {Capability.REENTRANT, Capability.SAFE_RELEASE},
            faults = Fault.FLUSH,
            beyond = {Beyond.CLIENTS, Beyond.LEASES})
    public final void rule_3_24_aLeaderWhoseLockTheBackendForgotDoesNotLeadOn() {
        Leader second = new Leader(actor("follower"), connected(newFactory()).getLock(name()), false);
        DistributedLock lock = connected(factory()).getLock(name(), unrenewed(LEASE));
        Leader first = new Leader(holderOf("a", LEASE), lock, true);
        faults().inject(Fault.FLUSH);
        second.leadsInTime();
        pass(LATE);
        first.round();
        assertFalse(first.leads, "a leader should not lead on by a lock that another client holds");
        second.round();
        assertTrue(second.leads, "a leader that holds the lock should lead on");
    }

    /**
     * A leader as in leader elections: it checks by {@code tryLock()} and {@code unlock()} in turn whether it still
     * holds the lock.
     */
    static final class Leader {
        final Actor actor;
        final DistributedLock lock;
        boolean leads;

        Leader(Actor actor, DistributedLock lock, boolean leads) {
            this.actor = actor;
            this.lock = lock;
            this.leads = leads;
        }

        void round() {
            leads = actor.call("a round of tryLock() and unlock()", () -> {
                try {
                    if (!lock.tryLock(1, TimeUnit.MILLISECONDS)) {
                        return false;
                    }
                    if (leads) {
                        lock.unlock();
                    }
                    return true;
                } catch (LeaseLostException e) {
                    return false;
                }
            });
        }

        void leadsInTime() {
            eventually("a leader is found", () -> {
                round();
                return leads;
            });
        }
    }

    private static void lockOften(Actor holder, DistributedLock lock) {
        holder.does("lock() three times", () -> {
            for (int i = 0; i < HOLDS; i++) {
                lock.lock();
            }
        });
    }

    private static void assertHoldCount(int expected, Actor actor, DistributedLock lock) {
        assertEquals(
                expected, actor.call("getHoldCount()", lock::getHoldCount), () -> "getHoldCount() for " + actor.name());
    }
}
