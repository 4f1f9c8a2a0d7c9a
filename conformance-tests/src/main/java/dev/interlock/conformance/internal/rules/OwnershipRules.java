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
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 2 of the contract: ownership and unlock. */
public abstract class OwnershipRules extends ExclusionRules {
    private static final int HOLDS = 20;

    OwnershipRules() {}

    @Test
    @Tag("chapter-2")
    public final void rule_2_1_unlockByAThreadThatNeverHeldTheLockThrows() {
        assertHoldsNothing(actor("stranger"), lock());
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_2_unlockByAnotherThreadFreesNothing() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        assertHoldsNothing(actor("stranger"), lock);
        assertHolds(holder, lock);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.CLIENTS)
    public final void rule_2_3_unlockThroughAnotherClientFreesNothing() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        assertHoldsNothing(holder, lockOfAnotherClient());
        assertHolds(holder, lock);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_4_unlockAfterARefusalFreesNothing() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        for (DistributedLock refusing : new DistributedLock[] {lock, lockOfAnotherClient()}) {
            Actor refused = actor("refused");
            assertFalse(triesToLock(refused, refusing), "tryLock() of a lock that is held elsewhere");
            assertFalse(isHeldBy(refused, refusing), "a thread whose tryLock() was refused does not hold the lock");
            assertHoldsNothing(refused, refusing);
        }
        assertHolds(holder, lock);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_5_aSecondUnlockFreesNothing() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor first = actor("first");
        first.does("lock()", lock::lock);
        first.does("unlock()", lock::unlock);
        assertHoldsNothing(first, lock);
        Actor next = actor("next");
        next.does("lock()", other::lock);
        assertHoldsNothing(first, lock);
        assertHolds(next, other);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.NAMES)
    public final void rule_2_6_anyLockObjectOfTheNameUnlocks() {
        DistributedLock locked = factory().getLock(name());
        DistributedLock unlocked = factory().getLock(name(), lease(Scale.RENEWED_LEASE));
        Actor holder = actor("holder");
        holder.does("lock()", locked::lock);
        assertTrue(isHeldBy(holder, unlocked), "the lock is held through every object of its name and factory");
        holder.does("unlock() of another object", unlocked::unlock);
        assertFalse(isHeldBy(holder, locked), "the lock was unlocked through another object of its name and factory");
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_7_unlockFreesBeforeItReturns() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        for (int i = 0; i < HOLDS; i++) {
            holder.does("lock()", lock::lock);
            holder.does("unlock()", lock::unlock);
            assertTrue(
                    isFree(other), "unlock() has returned, so another client's tryLock() should get the lock at once");
        }
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_8_unlockFreesNoOtherName() {
        DistributedLock first = factory().getLock(name("1"));
        DistributedLock second = factory().getLock(name("2"));
        DistributedLock third = factory().getLock(name("3"));
        Actor holder = actor("holder");
        holder.does("lock() three names", () -> {
            first.lock();
            second.lock();
            third.lock();
        });
        holder.does("unlock() the second", second::unlock);
        assertFalse(isHeldBy(holder, second), "the lock that was unlocked is not held any more");
        assertHolds(holder, first);
        assertHolds(holder, third);
        DistributedLockFactory other = newFactory();
        assertFree(other.getLock(name("2")));
        assertHeldBySomebody(other.getLock(name("1")));
        assertHeldBySomebody(other.getLock(name("3")));
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.QUERIES)
    public final void rule_2_9_isHeldByCurrentThreadTellsWhetherItIs() {
        DistributedLock lock = lock();
        Actor actor = actor("holder");
        assertFalse(isHeldBy(actor, lock), "isHeldByCurrentThread() before lock()");
        actor.does("lock()", lock::lock);
        assertTrue(isHeldBy(actor, lock), "isHeldByCurrentThread() after lock()");
        actor.does("unlock()", lock::unlock);
        assertFalse(isHeldBy(actor, lock), "isHeldByCurrentThread() after unlock()");
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = {Beyond.CLIENTS, Beyond.QUERIES})
    public final void rule_2_10_othersDoNotHoldTheLock() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        assertHoldsNoneByQueries(actor("another thread"), lock);
        assertHoldsNoneByQueries(holder, lockOfAnotherClient());
        assertFalse(
                triesToLock(holder, lockOfAnotherClient()),
                "the holding thread is no holder for another client, which must refuse it");
        assertHolds(holder, lock);
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_11_threadsOfOneNameAreDifferentOwners() {
        DistributedLock lock = lock();
        Actor holder = actor("twin");
        Actor twin = actor("twin");
        holder.does("lock()", lock::lock);
        assertHoldsNoneByQueries(twin, lock);
        assertFalse(triesToLock(twin, lock), "a thread that only has the holder's name does not hold its lock");
        assertHoldsNothing(twin, lock);
        assertHolds(holder, lock);
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_12_aThreadDoesNotInheritTheLock() {
        DistributedLock lock = lock();
        Actor parent = actor("parent");
        parent.does("lock()", lock::lock);
        Actor child = parent.call("start a thread", () -> actor("child"));
        assertHoldsNoneByQueries(child, lock);
        assertFalse(triesToLock(child, lock), "a thread that the holder has started does not hold its lock");
        assertHoldsNothing(child, lock);
        assertHolds(parent, lock);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_13_leaseIsThatOfTheCurrentThread() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        assertTrue(leaseOf(holder, lock).isEmpty(), "lease() before lock() should be empty");
        holder.does("lock()", lock::lock);
        Lease lease = heldLease(holder, lock);
        assertEquals(name(), lease.lockName(), "the lease's lockName()");
        assertTrue(lease.isValid(), "the lease of a lock that was just acquired is valid");
        assertTrue(leaseOf(actor("another thread"), lock).isEmpty(), "lease() of another thread should be empty");
        holder.does("unlock()", lock::unlock);
        assertTrue(leaseOf(holder, lock).isEmpty(), "lease() after unlock() should be empty");
    }

    @Test
    @Tag("chapter-2")
    @Needs(faults = Fault.PARTITION, beyond = Beyond.LEASES)
    public final void rule_2_14_queriesNeedNoBackend() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        faults().inject(Fault.PARTITION);
        assertTrue(isHeldBy(holder, lock), "isHeldByCurrentThread() while the backend cannot be reached");
        assertEquals(
                1,
                holder.call("getHoldCount()", lock::getHoldCount),
                "getHoldCount() while the backend cannot be reached");
        Lease lease = heldLease(holder, lock);
        assertTrue(lease.isValid(), "isValid() while the backend cannot be reached and the lease goes on");
        assertTrue(lease.remaining().compareTo(Duration.ZERO) > 0, "remaining() should be positive");
        assertHoldsNoneByQueries(actor("another thread"), lock);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_2_15_aHandleMakesNoThreadTheHolder() {
        DistributedLock lock = lock();
        Actor actor = actor("has the handle");
        LockHandle handle = actor.call("acquire()", lock::acquire);
        assertHoldsNoneByQueries(actor, lock);
        assertHoldsNothing(actor, lock);
        assertTrue(handle.isValid(), "unlock() does not give a handle up");
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_2_16_aHandleMayBeClosedByAnyThread() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor acquirer = actor("acquirer");
        Actor closer = actor("closer");
        LockHandle acquired = acquirer.call("acquire()", lock::acquire);
        closer.does("close()", acquired::close);
        assertFree(other);
        LockHandle tried = acquirer.call("tryAcquire()", () -> lock.tryAcquire(Scale.PATIENCE))
                .orElseThrow(() -> new AssertionError("tryAcquire() of a free lock was refused"));
        closer.does("close()", tried::close);
        assertFree(other);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_2_17_closingAHandleAgainHasNoEffect() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor actor = actor("has the handle");
        LockHandle handle = actor.call("acquire()", lock::acquire);
        actor.does("close()", handle::close);
        actor.does("close() again", handle::close);
        actor("next").does("lock()", other::lock);
        actor.does("close() once more", handle::close);
        actor("another thread").does("close() by another thread", handle::close);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_18_theLeaseOfAThreadOffersNoClose() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Lease lease = heldLease(holder, lock);
        assertFalse(
                lease instanceof AutoCloseable,
                "lease() shows the hold of a thread, and whoever is shown it must not be able to end it");
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_19_anyThreadMayLookAtTheLeaseOfAThread() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        Actor observer = actor("another thread");
        holder.does("lock()", lock::lock);
        Lease lease = heldLease(holder, lock);
        assertEquals(name(), observer.call("lockName()", lease::lockName), "lockName() on another thread");
        assertTrue(observer.call("isValid()", lease::isValid), "isValid() on another thread");
        assertTrue(
                observer.call("remaining()", lease::remaining).compareTo(Duration.ZERO) > 0,
                "remaining() on another thread");
        assertEquals(
                lease.fencingToken(),
                observer.call("fencingToken()", lease::fencingToken),
                "fencingToken() on another thread");
        observer.does("ensureValid()", () -> lease.ensureValid(Duration.ZERO));
        assertHolds(holder, lock);
        holder.does("unlock()", lock::unlock);
        assertFalse(observer.call("isValid()", lease::isValid), "isValid() on another thread after unlock()");
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_20_anOldLeaseIsNotThatOfTheNextHold() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Lease old = heldLease(holder, lock);
        holder.does("unlock()", lock::unlock);
        holder.does("lock() again", lock::lock);
        assertOver(old);
        assertFalse(holder.call("isValid()", old::isValid), "isValid() of the old lease, on the thread of the next");
        assertThrows(
                IllegalStateException.class,
                () -> old.ensureValid(Duration.ZERO),
                "ensureValid() of a lease that was given up, while the thread has the next one");
        assertTrue(heldLease(holder, lock).isValid(), "the lease of the next hold");
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_21_aLeaseThatWasGivenUpIsNotValid() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Lease lease = heldLease(holder, lock);
        holder.does("unlock()", lock::unlock);
        assertOver(lease);
        LockHandle handle = holder.call("acquire()", lock::acquire);
        holder.does("close()", handle::close);
        assertOver(handle);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_22_unlockAfterALossThrowsLeaseLost() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        Actor holder = actor("holder");
        holdAndLose(holder, lock);
        assertUnlockTellsOfTheLoss(holder, lock);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_23_aLossIsToldOnce() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        Actor holder = actor("holder");
        holdAndLose(holder, lock);
        holder.beginTo("unlock()", lock::unlock).failure(IllegalMonitorStateException.class);
        assertHoldsNothing(holder, lock);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_24_aThreadThatWasToldOfItsLossMayLockAgain() {
        DistributedLock shortly = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holdAndLose(holder, shortly);
        holder.does("lock() after isHeldByCurrentThread() has told of the loss", lock::lock);
        assertHolds(holder, lock);
        assertHeldBySomebody(lockOfAnotherClient());
        holder.does("unlock()", lock::unlock);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_25_aFreshAcquisitionForgetsTheLoss() {
        DistributedLock shortly = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holdAndLose(holder, shortly);
        holder.does("lock() after isHeldByCurrentThread() has told of the loss", lock::lock);
        holder.does("unlock() of what is held", lock::unlock);
        assertHoldsNothing(holder, lock);
    }

    @Test
    @Tag("chapter-2")
    @Needs(value = Capability.SAFE_RELEASE, beyond = Beyond.LEASES)
    public final void rule_2_26_unlockAfterALossLeavesTheNextHolderAlone() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        DistributedLock other = lockOfAnotherClient();
        connected(factory());
        Actor holder = actor("holder");
        Actor next = actor("next");
        holder.does("lock()", () -> locked(lock));
        next.does("lock()", other::lock);
        assertUnlockTellsOfTheLoss(holder, lock);
        assertHolds(next, other);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    @Needs(value = Capability.SAFE_RELEASE, beyond = Beyond.LEASES)
    public final void rule_2_27_closingALostHandleLeavesTheNextHolderAlone() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        DistributedLock other = lockOfAnotherClient();
        connected(factory());
        Actor actor = actor("has the handle");
        Actor next = actor("next");
        LockHandle handle = actor.call("acquire()", () -> granted(lock::acquire));
        next.does("lock()", other::lock);
        actor.beginTo("close()", handle::close).failure(LeaseLostException.class);
        assertHolds(next, other);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-2")
    @Needs(value = Capability.SAFE_RELEASE, faults = Fault.FLUSH, beyond = Beyond.LEASES)
    public final void rule_2_28_anUnnoticedLossLeavesTheNextHolderAlone() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        Actor next = actor("next");
        holder.does("lock()", lock::lock);
        takeOverAfterFlush(next, other);
        assertUnlockTellsOfTheLoss(holder, lock);
        assertHolds(next, other);
        assertHeldBySomebody(lockOfAnotherClient());
    }

    /**
     * Has the backend lose its data, and a client acquire the lock. One of several servers may carry out the request of
     * the former holder only after that, since a majority was enough for it: then the data is lost again.
     */
    private void takeOverAfterFlush(Actor next, DistributedLock other) {
        for (int i = 1; ; i++) {
            faults().inject(Fault.FLUSH);
            if (triesToLock(next, other)) {
                return;
            }
            assertTrue(i < TRIES, "tryLock() of a lock that the backend has forgotten returned false each time");
            retried("a server carried out the holder's request after it had lost its data");
        }
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_29_exceptionsNameTheLock() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        Actor actor = actor("holder");
        IllegalMonitorStateException notHeld =
                actor.beginTo("unlock()", lock::unlock).failure(IllegalMonitorStateException.class);
        assertNames(notHeld);
        holdAndLose(actor, lock);
        IllegalMonitorStateException lost =
                actor.beginTo("unlock()", lock::unlock).failure(IllegalMonitorStateException.class);
        assertNames(lost);
    }

    @Test
    @Tag("chapter-2")
    @Needs(without = Capability.CONDITIONS, beyond = Beyond.NO_CONDITIONS)
    public final void rule_2_30_newConditionIsNotSupported() {
        DistributedLock lock = lock();
        assertThrows(
                UnsupportedOperationException.class,
                lock::newCondition,
                "nothing could wake a thread on another machine from its wait");
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.STATE)
    public final void rule_2_31_isLockedTellsWhetherAnybodyHoldsTheLock() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        Actor observer = actor("observer");
        assertLocked(false, observer, lock, other);
        assertFree(other);
        holder.does("lock()", lock::lock);
        assertLocked(true, holder, lock, other);
        assertLocked(true, observer, lock, other);
        assertHolds(holder, lock);
        holder.does("unlock()", lock::unlock);
        assertLocked(false, observer, lock, other);
        LockHandle handle = holder.call("acquire()", lock::acquire);
        assertLocked(true, observer, lock, other);
        assertTrue(handle.isValid(), "a query must not take the lock from its holder");
        holder.does("close()", handle::close);
        assertLocked(false, observer, lock, other);
    }

    private static void assertLocked(boolean expected, Actor actor, DistributedLock... locks) {
        for (DistributedLock lock : locks) {
            assertEquals(
                    expected, actor.call("isLocked()", lock::isLocked), () -> "isLocked() asked by " + actor.name());
        }
    }

    @Test
    @Tag("chapter-2")
    public final void rule_2_42_threadsThatAreEqualAreDifferentOwners() {
        DistributedLock lock = lock();
        Actor holder = twin();
        Actor other = twin();
        holder.does("lock()", lock::lock);
        assertHoldsNoneByQueries(other, lock);
        assertFalse(triesToLock(other, lock), "a thread that is equal to the holder does not hold its lock");
        assertHoldsNothing(other, lock);
        assertHolds(holder, lock);
        holder.does("unlock()", lock::unlock);
    }

    private void assertNames(IllegalMonitorStateException e) {
        assertTrue(
                String.valueOf(e.getMessage()).contains(name()),
                () -> "the message should contain the name of the lock: " + e.getMessage());
    }

    private static void assertOver(Lease lease) {
        assertFalse(lease.isValid(), "a lease that was given up is not valid");
        assertEquals(Duration.ZERO, lease.remaining(), "what remains of a lease that was given up");
    }

    // The chapters that follow use these too.

    /** Acquires each of the locks, and waits until the lease of the first has run out. */
    final void holdAndLose(Actor holder, DistributedLock... locks) {
        connected(factory());
        holder.does("lock()", () -> {
            boolean held = false;
            for (int i = 0; !held && i < TRIES; i++) {
                held = holdAll(locks);
            }
            assertTrue(held, "the lease should last until the thread has locked as often as it should");
        });
        eventually("the lease that is not renewed ends", () -> !isHeldBy(holder, locks[0]));
    }

    /** Acquires each of the locks; returns whether no lease was over before all were there. */
    private boolean holdAll(DistributedLock... locks) throws Exception {
        locked(locks[0]);
        try {
            for (int i = 1; i < locks.length; i++) {
                locked(locks[i]);
            }
            return true;
        } catch (LeaseLostException e) {
            retried("a short lease was over before the thread locked again");
            return false;
        }
    }

    static boolean isHeldBy(Actor actor, DistributedLock lock) {
        return actor.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread);
    }

    static boolean triesToLock(Actor actor, DistributedLock lock) {
        return actor.call("tryLock()", () -> lock.tryLock());
    }

    static Optional<Lease> leaseOf(Actor actor, DistributedLock lock) {
        return actor.call("lease()", lock::lease);
    }

    static Lease heldLease(Actor holder, DistributedLock lock) {
        return leaseOf(holder, lock)
                .orElseThrow(
                        () -> new AssertionError("lease() is empty for " + holder.name() + ", which holds the lock"));
    }

    static void assertHolds(Actor actor, DistributedLock lock) {
        assertTrue(isHeldBy(actor, lock), () -> actor.name() + " should hold the lock");
    }

    /** Asserts that unlock() throws on a thread that never held the lock, and frees nothing. */
    static void assertHoldsNothing(Actor actor, DistributedLock lock) {
        IllegalMonitorStateException e =
                actor.beginTo("unlock()", lock::unlock).failure(IllegalMonitorStateException.class);
        assertFalse(
                e instanceof LeaseLostException,
                () -> actor.name()
                        + " has lost nothing of which it was not told, so LeaseLostException is not the truth");
    }

    static void assertHoldsNoneByQueries(Actor actor, DistributedLock lock) {
        assertFalse(isHeldBy(actor, lock), () -> "isHeldByCurrentThread() for " + actor.name());
        assertEquals(0, actor.call("getHoldCount()", lock::getHoldCount), () -> "getHoldCount() for " + actor.name());
        assertTrue(leaseOf(actor, lock).isEmpty(), () -> "lease() for " + actor.name() + " should be empty");
    }

    final void assertUnlockTellsOfTheLoss(Actor holder, DistributedLock lock) {
        LeaseLostException e = holder.beginTo("unlock()", lock::unlock).failure(LeaseLostException.class);
        assertEquals(name(), e.lockName(), "lockName() of the exception");
    }
}
