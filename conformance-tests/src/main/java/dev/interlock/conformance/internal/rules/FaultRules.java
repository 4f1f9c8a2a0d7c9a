// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.PendingStage.WAYS;
import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.history.Recorder;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.PendingStage.Way;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.internal.load.Load;
import dev.interlock.conformance.plain.Beyond;
import dev.interlock.spi.Capability;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 9 of the contract: faults and unknown outcomes. */
public abstract class FaultRules extends AsyncRules {
    /** A short ceiling, so that waiters notice an outage soon even without a message. */
    private static final Duration SOON = Scale.millis(100);

    /** How late a request may come that is repeated: many locks double their pauses, up to a second or so. */
    private static final Duration LATE = Scale.millis(1000);

    /** A password that no other text contains by chance. */
    private static final String UNUSED_PASSWORD = "x7Q2-unused";

    FaultRules() {}

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_1_tryLockThrowsWhenTheBackendCannotBeReached() {
        DistributedLock lock = lock();
        faults().inject(Fault.PARTITION);
        Actor actor = actor("locker");
        actor.begin("tryLock() in an outage", lock::tryLock).failure(LockBackendException.class);
        assertNotHeld(actor, lock);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_2_everyAcquisitionThrowsWhenTheBackendCannotBeReached() {
        DistributedLock lock = lock();
        faults().inject(Fault.PARTITION);
        Map<String, Callable<@Nullable Object>> acquisitions = new LinkedHashMap<>();
        acquisitions.put("lock()", () -> {
            lock.lock();
            return "the lock";
        });
        acquisitions.put("lockInterruptibly()", () -> {
            lock.lockInterruptibly();
            return "the lock";
        });
        acquisitions.put("tryLock(1, MINUTES)", () -> lock.tryLock(1, TimeUnit.MINUTES));
        acquisitions.put("tryLock(0, SECONDS)", () -> lock.tryLock(0, TimeUnit.SECONDS));
        acquisitions.put("acquire()", lock::acquire);
        acquisitions.put("tryAcquire(one minute)", () -> lock.tryAcquire(Duration.ofMinutes(1)));
        acquisitions.put("tryAcquire(no time)", () -> lock.tryAcquire(Duration.ZERO));
        Actor actor = actor("locker");
        acquisitions.forEach((what, acquisition) -> {
            actor.begin(what + " in an outage", acquisition).failure(LockBackendException.class);
            assertNotHeld(actor, lock);
        });
        faults().heal();
        eventually("the lock object works after the outage", () -> isFreeIfAnybodyAnswers(lock));
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PAUSE)
    public final void rule_9_3_aRequestWithoutAnAnswerEndsAsUnknown() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        LockBackendException.Reason reason = LockBackendException.Reason.UNREACHABLE;
        String message = "";
        // A background request of the client may be using the only open connection.
        for (int i = 0; i < 3 && reason == LockBackendException.Reason.UNREACHABLE; i++) {
            faults().heal();
            reconnect(factory());
            if (i > 0) {
                retried("a request was not sent, since another one had the connection");
                // If the request was sent after all, it has been executed by now, and was not undone.
                assertFree(lock);
            }
            faults().inject(Fault.PAUSE);
            LockBackendException failure =
                    actor.begin("tryLock() that nobody answers", lock::tryLock).failure(LockBackendException.class);
            reason = failure.reason();
            message = failure.getMessage();
        }
        assertEquals(
                LockBackendException.Reason.OUTCOME_UNKNOWN,
                reason,
                "the reason of a request that was sent and may yet be carried out, and says: " + message);
        assertNotHeld(actor, lock);
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.SAFE_RELEASE, faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_9_4_aLostReplyLeavesNoGhost() {
        DistributedLock lock = lock();
        DistributedLock another = lockOfAnotherClient();
        reconnect(factory());
        faults().inject(Fault.LOSE_NEXT_REPLY);
        Actor actor = actor("locker");
        Throwable thrown = actor.begin("tryLock()", () -> {
                    assertTrue(lock.tryLock(), "tryLock() reported a free lock as taken because a reply was lost");
                    lock.unlock();
                    return null;
                })
                .outcome();
        if (thrown instanceof AssertionError failure) {
            throw failure;
        }
        assertTrue(
                thrown == null || thrown instanceof LockBackendException,
                () -> "a lost reply should be a LockBackendException, not " + thrown);
        assertNotHeld(actor, lock);
        eventually("another client gets the lock, long before the lease ends", () -> isFreeIfAnybodyAnswers(another));
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.SAFE_RELEASE, faults = Fault.PAUSE)
    public final void rule_9_5_aRequestThatIsCarriedOutLateLeavesNoGhost() {
        DistributedLock lock = lock();
        DistributedLock another = lockOfAnotherClient();
        reconnect(factory());
        faults().inject(Fault.PAUSE);
        actor("locker").begin("tryLock() that nobody answers", lock::tryLock).failure(LockBackendException.class);
        faults().heal();
        eventually("another client gets the lock, long before the lease ends", () -> isFreeIfAnybodyAnswers(another));
        eventually("the same client gets the lock", () -> isFreeIfAnybodyAnswers(lock));
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.SAFE_RELEASE, faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_9_6_undoingAnAcquisitionDoesNotFreeTheNextHolder() {
        DistributedLock next = lockOfAnotherClient();
        DistributedLock third = lockOfAnotherClient();
        Actor holder = actor("next");
        // A release that comes late finds the next holder after the end of a short lease. Of a longer one, the second
        // release does, which some clients send after a part of the lease.
        for (Duration time : List.of(Scale.SHORT_LEASE, Scale.RENEWED_LEASE.multipliedBy(2))) {
            DistributedLock lock = factory().getLock(name(), unrenewed(time));
            reconnect(factory());
            faults().inject(Fault.LOSE_NEXT_REPLY);
            // A thread that was granted the lock all the same, and whose lease is over, would be told of that loss.
            Throwable thrown = actor("first").begin("tryLock()", lock::tryLock).outcome();
            assertBackendFailureIfAny("tryLock() whose reply was lost", thrown);
            getHold(holder, next);
            assertStaysHeld("what was left over from another acquisition freed the lock", third);
            assertHeld(holder, next);
            holder.does("unlock()", next::unlock);
        }
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_7_unlockInAnOutageIsNoError() {
        DistributedLock lock = lock();
        DistributedLock handled = factory().getLock(name("b"));
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        LockHandle handle = actor.call("acquire()", handled::acquire);
        faults().inject(Fault.PARTITION);
        actor.does("unlock() in an outage", lock::unlock);
        assertNotHeld(actor, lock);
        IllegalMonitorStateException again =
                actor.beginTo("unlock() once more", lock::unlock).failure(IllegalMonitorStateException.class);
        assertFalse(again instanceof LeaseLostException, "a lock that was given up was not lost");
        actor.does("close() of a handle in an outage", handle::close);
        assertFalse(handle.isValid(), "a handle that was given up in an outage is not valid");
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PAUSE)
    public final void rule_9_8_unlockEndsThoughNobodyAnswers() {
        DistributedLock lock = lock();
        DistributedLock another = lockOfAnotherClient();
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        faults().inject(Fault.PAUSE);
        actor.does("unlock() that nobody answers", lock::unlock);
        assertNotHeld(actor, lock);
        faults().heal();
        eventually("another client gets the lock, long before the lease ends", () -> isFreeIfAnybodyAnswers(another));
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_9_aReleaseInAnOutageIsRepeated() {
        DistributedLock lock = lock();
        DistributedLock another = lockOfAnotherClient();
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        faults().inject(Fault.PARTITION);
        actor.does("unlock() in an outage", lock::unlock);
        faults().heal();
        eventually("another client gets the lock, long before the lease ends", () -> isFreeIfAnybodyAnswers(another));
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.SAFE_RELEASE, faults = Fault.PARTITION)
    public final void rule_9_10_aRepeatedReleaseDoesNotFreeTheNextHolder() {
        DistributedLock next = lockOfAnotherClient();
        DistributedLock third = lockOfAnotherClient();
        releaseInAnOutage();
        Actor holder = actor("next");
        getHold(holder, next);
        assertStaysHeld("a release that was repeated freed the lock of somebody else", third);
        assertHeld(holder, next);
    }

    /** Has the first client release the lock in an outage, which lasts until the lease is over. */
    private void releaseInAnOutage() {
        Actor actor = actor("holder");
        Duration time = Scale.SHORT_LEASE;
        for (int i = 1; ; i++) {
            reconnect(factory());
            DistributedLock lock = factory().getLock(name(), unrenewed(time));
            actor.does("lock()", () -> locked(lock));
            faults().inject(Fault.PARTITION);
            Throwable thrown =
                    actor.beginTo("unlock() in an outage", lock::unlock).outcome();
            pass(time);
            faults().heal();
            if (thrown == null) {
                return;
            }
            assertInstanceOf(LeaseLostException.class, thrown, "what unlock() in an outage threw");
            assertTrue(i < Stage.TRIES, "unlock() in an outage told of a loss each time");
            retried("a short lease was over before its lock was released");
            time = time.multipliedBy(2);
        }
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_9_11_aLostReplyOfAReleaseIsNoLoss() {
        DistributedLock lock = lock();
        DistributedLock another = lockOfAnotherClient();
        Actor actor = actor("holder");
        actor.does("lock()", lock::lock);
        faults().inject(Fault.LOSE_NEXT_REPLY);
        actor.does("unlock() whose reply is lost", lock::unlock);
        assertNotHeld(actor, lock);
        eventually("another client gets the lock, long before the lease ends", () -> isFreeIfAnybodyAnswers(another));
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.AUTO_RENEWAL, faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_9_12_aLostReplyOfARenewalIsNoLoss() {
        inCalm(again -> {
            // Long enough for one more try, even if a lost reply is noticed only after a part of the lease.
            Duration time = Scale.RENEWED_LEASE.multipliedBy(5);
            reconnect(factory());
            DistributedLock lock = factory().getLock(name(again), lease(time));
            DistributedLock another = newFactory().getLock(name(again));
            Holding holding = hold(actor("holder"), lock);
            faults().inject(Fault.LOSE_NEXT_REPLY);
            pass(percent(50, time));
            holding.assertRenewed("the lease is renewed once more", time);
            assertFalse(firstAnswer(another), "the lock that is renewed should be refused to another client");
            holding.assertKept();
        });
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.AUTO_RENEWAL, faults = Fault.PARTITION)
    public final void rule_9_13_anOutageShorterThanTheLeaseIsNoLoss() {
        withLease(Scale.RENEWED_LEASE.multipliedBy(4), Scale.RENEWED_LEASE.multipliedBy(12), (again, time) -> {
            reconnect(factory());
            DistributedLock lock = factory().getLock(name(again), lease(time));
            DistributedLock another = newFactory().getLock(name(again));
            Holding holding = hold(actor("holder"), lock);
            faults().inject(Fault.PARTITION);
            // Long enough for a renewal that comes a little late, with as much time left for another one.
            pass(percent(50, time));
            faults().heal();
            holding.assertRenewed("the lease is renewed after the outage", time);
            assertFalse(firstAnswer(another), "the lock that is renewed should be refused to another client");
            holding.assertKept();
        });
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.AUTO_RENEWAL, faults = Fault.PARTITION)
    public final void rule_9_14_anOutageLongerThanTheLeaseIsALoss() {
        DistributedLock lock = factory().getLock(name(), lease(Scale.RENEWED_LEASE));
        Actor actor = actor("holder");
        LossCause told = LossCause.EXPIRED;
        // On a machine that stands still a lease can be over before its renewal was tried, or answered: other causes.
        for (int i = 0; i < 3 && told != LossCause.UNREACHABLE; i++) {
            if (i > 0) {
                retried("a lease was over before its renewal was tried or answered");
            }
            faults().heal();
            reconnect(factory());
            Holding holding = hold(actor, lock);
            faults().inject(Fault.PARTITION);
            eventually("the holder is told of the loss", () -> !holding.losses().isEmpty());
            told = holding.losses().remove();
            assertFalse(holding.lease().isValid(), "a lease that ran out in an outage is not valid");
            assertNotHeld(actor, lock);
            LeaseLostException lost =
                    actor.beginTo("unlock() after the loss", lock::unlock).failure(LeaseLostException.class);
            assertEquals(told, lost.lossCause(), "the cause that unlock() gives");
            assertEquals(List.of(), List.copyOf(holding.losses()), "what the holder is told after that");
        }
        assertEquals(LossCause.UNREACHABLE, told, "what the holder is told");
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_15_ensureValidInAnOutageLeavesTheLeaseAsItIs() {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.LONG_LEASE));
        Actor actor = actor("holder");
        Holding holding = hold(actor, lock);
        Lease lease = holding.lease();
        Duration wanted = lease.remaining();
        eventually("some of the lease passes", () -> lease.remaining().compareTo(wanted) < 0);
        faults().inject(Fault.PARTITION);
        actor.beginTo("ensureValid() in an outage", () -> lease.ensureValid(wanted))
                .failure(LockBackendException.class);
        assertTrue(lease.isValid(), "the lease that could not be renewed is still valid");
        assertTrue(lease.remaining().compareTo(wanted) < 0, "a renewal that failed must not prolong the lease");
        faults().heal();
        holding.assertKept();
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_16_waitersRideOutAShortOutage() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        List<Pending<?>> waits = new ArrayList<>();
        for (int client = 1; client <= 2; client++) {
            DistributedLock waited = impatient().getLock(name());
            for (int thread = 1; thread <= 2; thread++) {
                Actor waiter = actor("waiter " + thread + " of client " + client);
                Pending<?> wait = waiter.beginTo("lock() across an outage", () -> {
                    waited.lock();
                    waited.unlock();
                });
                settleWell(waiter, wait);
                waits.add(wait);
            }
        }
        faults().inject(Fault.PARTITION);
        pass(SOON.multipliedBy(2));
        faults().heal();
        holder.does("unlock()", lock::unlock);
        waits.forEach(Pending::result);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_17_aWaiterGivesUpInAnOutageLongerThanItsLease() {
        DistributedLock lock = lock();
        DistributedLock waited = impatient().getLock(name(), lease(Scale.SHORT_LEASE));
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Actor waiter = actor("waiter");
        Pending<?> wait = waiter.beginTo("lock() in a long outage", waited::lock);
        settleWell(waiter, wait);
        faults().inject(Fault.PARTITION);
        wait.failure(LockBackendException.class);
        assertNotHeld(waiter, waited);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_18_aTimedWaitThatEndsInAnOutageThrows() {
        DistributedLock lock = lock();
        DistributedLock waited = impatient().getLock(name());
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Duration time = Scale.millis(1200);
        assertThrowsInOneOfThreeOutages(
                "tryLock(time)", () -> waited.tryLock(time.toNanos(), TimeUnit.NANOSECONDS) ? "the lock" : "false");
        assertThrowsInOneOfThreeOutages("tryAcquire(time)", () -> waited.tryAcquire(time));
    }

    /**
     * It suffices that one of three waits throws: if the machine stands still, a wait may end before the outage begins.
     */
    private void assertThrowsInOneOfThreeOutages(String what, Callable<@Nullable Object> wait) {
        Throwable thrown = null;
        for (int i = 0; i < 3 && thrown == null; i++) {
            if (i > 0) {
                retried("a wait ended before it met the outage");
            }
            Actor waiter = actor("waiter");
            Pending<?> waiting = waiter.begin(what + " that ends in an outage", wait);
            settleWell(waiter, waiting);
            faults().inject(Fault.PARTITION);
            thrown = waiting.outcome();
            faults().heal();
        }
        assertInstanceOf(LockBackendException.class, thrown, what + " whose time ends in an outage");
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.CUT_CONNECTIONS)
    public final void rule_9_19_connectionsThatWereCutAreOpenedAgain() {
        DistributedLock lock = lock();
        for (int i = 0; i < 3; i++) {
            reconnect(factory());
            faults().inject(Fault.CUT_CONNECTIONS);
            eventually("the lock can be had after all connections were cut", () -> isFreeIfAnybodyAnswers(lock));
        }
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.CUT_CONNECTIONS)
    public final void rule_9_20_aHolderOutlivesItsConnections() {
        assertHolderOutlives(Fault.CUT_CONNECTIONS);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.RESTART_WITH_DATA)
    public final void rule_9_21_aHolderOutlivesARestartWithData() {
        assertHolderOutlives(Fault.RESTART_WITH_DATA);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.STOP)
    public final void rule_9_22_aHolderOutlivesAStopWithData() {
        assertHolderOutlives(Fault.STOP);
    }

    @Test
    @Tag("chapter-9")
    @Needs(value = Capability.AUTO_RENEWAL, faults = Fault.RESTART_WITHOUT_DATA)
    public final void rule_9_23_aRestartWithoutDataIsALoss() {
        reconnect(factory());
        DistributedLock lock = factory().getLock(name(), lease(Scale.RENEWED_LEASE));
        Actor actor = actor("holder");
        Holding holding = hold(actor, lock);
        faults().inject(Fault.RESTART_WITHOUT_DATA);
        eventually("the holder is told of the loss", () -> !holding.losses().isEmpty());
        assertNotHeld(actor, lock);
        actor.beginTo("unlock() after the loss", lock::unlock).failure(LeaseLostException.class);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.RESTART_WITHOUT_DATA)
    public final void rule_9_24_aClientWorksOnAfterARestartWithoutData() {
        assertClientWorksOnAfter(Fault.RESTART_WITHOUT_DATA);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.KILL)
    public final void rule_9_25_aClientWorksOnAfterAKill() {
        assertClientWorksOnAfter(Fault.KILL);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.FORGET_PREPARED)
    public final void rule_9_26_forgottenScriptsAreSentAgain() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE.multipliedBy(3);
            DistributedLock lock = factory().getLock(name(again), unrenewed(time));
            DistributedLock another = newFactory().getLock(name(again));
            reconnect(factory());
            Actor actor = actor("holder");
            faults().inject(Fault.FORGET_PREPARED);
            boolean had = actor.call("tryLock() after the scripts were forgotten", lock::tryLock);
            assertTrue(had, "a free lock should be had");
            faults().inject(Fault.FORGET_PREPARED);
            assertHeldBySomebody(another);
            Lease lease = heldLease(actor, lock);
            eventually("some of the lease passes", () -> lease.remaining().compareTo(percent(65, time)) < 0);
            faults().inject(Fault.FORGET_PREPARED);
            actor.does("ensureValid() after the scripts were forgotten", () -> lease.ensureValid(percent(66, time)));
            faults().inject(Fault.FORGET_PREPARED);
            actor.does("unlock() after the scripts were forgotten", lock::unlock);
            assertFree(another);
        });
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.DELAY)
    public final void rule_9_27_slowAnswersLetNoTwoIn() {
        int clients = 4;
        List<DistributedLock> locks = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            DistributedLockFactory client = newFactory();
            reconnect(client);
            locks.add(client.getLock(name()));
        }
        faults().inject(Fault.DELAY);
        List<Pending<Boolean>> tries = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            tries.add(actor("client " + i).begin("tryLock() while answers are slow", locks.get(i)::tryLock));
        }
        AtomicInteger holders = new AtomicInteger();
        tries.forEach(it -> {
            Throwable thrown = it.outcome();
            if (thrown == null && it.result()) {
                holders.incrementAndGet();
            }
            assertBackendFailureIfAny("tryLock() while answers are slow", thrown);
        });
        assertTrue(holders.get() <= 1, () -> holders + " clients hold the lock at once");
        if (holders.get() == 0) {
            // The votes of a quorum can be split among clients that ask at once, but not if one asks alone.
            getHold(actor("a client that asks alone while answers are slow"), locks.get(0));
        }
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_28_aFailureShowsNoPassword() {
        LockConfig config = config(FaultRules::withPasswords);
        assumeFalse(config.endpoints().isEmpty(), "the harness has no endpoint that could have a password");
        List<String> passwords = passwords(config);
        DistributedLock lock = newFactory(FaultRules::withPasswords).getLock(name());
        faults().inject(Fault.PARTITION);
        Throwable failure =
                actor("locker").beginTo("lock() in an outage", lock::lock).failure(LockBackendException.class);
        for (Throwable it = failure; it != null; it = it.getCause()) {
            assertShowsNone(passwords, it.getClass().getName(), it.toString());
        }
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = {Fault.PAUSE, Fault.CUT_CONNECTIONS, Fault.LOSE_NEXT_REPLY})
    public final void rule_9_29_exclusionHoldsUnderLoadWhileThingsFail() {
        int clients = 3;
        int threadsPerClient = 2;
        int threads = clients * threadsPerClient;
        Load load = new Load(new Recorder())
                .names(name())
                // A grant whose reply is lost, and that a strategy cannot undo, ends with its lease: in time for the
                // next grant.
                .options(lease(Scale.millis(2500)))
                .threads(threadsPerClient)
                .styles(EnumSet.of(Load.Style.TIMED_TRY_LOCK, Load.Style.TRY_ACQUIRE))
                .hold(Scale.millis(5))
                .patience(SOON);
        for (int i = 1; i <= clients; i++) {
            load.client("client-" + i, impatient());
        }
        Load.Running running = load.start();
        eventually("the load is on", () -> running.grants() > 10);
        for (int i = 0; i < 6; i++) {
            for (Fault fault : List.of(Fault.CUT_CONNECTIONS, Fault.LOSE_NEXT_REPLY, Fault.PAUSE)) {
                faults().inject(fault);
                pass(Scale.millis(30));
            }
            faults().heal();
            // Each thread may have had one request in flight, so there must be more grants than threads.
            int before = running.grants() + threads;
            eventually("the lock is granted again after connections were cut", () -> running.grants() > before);
        }
        assertExclusive(running.stop());
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION, beyond = Beyond.STATE)
    public final void rule_9_30_isLockedThrowsWhenTheBackendCannotBeReached() {
        DistributedLock lock = lock();
        DistributedLock free = factory().getLock(name("b"));
        Actor holder = actor("holder");
        holder.does("lock()", () -> locked(lock));
        faults().inject(Fault.PARTITION);
        holder.begin("isLocked() of a free lock in an outage", free::isLocked).failure(LockBackendException.class);
        holder.begin("isLocked() of the holder in an outage", lock::isLocked).failure(LockBackendException.class);
        assertTrue(isHeldBy(holder, lock), "a query that fails costs no lock");
    }

    /** A hold of an actor, and the losses that it was told of. */
    private record Holding(Actor actor, DistributedLock lock, Lease lease, Queue<LossCause> losses) {
        /** Fails unless the lease lasts longer than it could without a renewal, some time after the grant. */
        void assertRenewed(String what, Duration time) {
            eventually(what, () -> !lease.isValid() || lease.remaining().compareTo(percent(75, time)) > 0);
            assertTrue(lease.isValid(), () -> "the lease was lost, but should have lasted until " + what);
        }

        void assertKept() {
            assertTrue(lease.isValid(), "the lease should be valid");
            assertHeld(actor, lock);
            assertEquals(List.of(), List.copyOf(losses), "the losses that the holder was told of");
            actor.does("unlock()", lock::unlock);
        }
    }

    private Holding hold(Actor actor, DistributedLock lock) {
        Queue<LossCause> losses = new ConcurrentLinkedQueue<>();
        Lease lease = lockBy(actor, lock);
        lease.onLoss(losses::add);
        return new Holding(actor, lock, lease, losses);
    }

    private void assertHolderOutlives(Fault fault) {
        DistributedLock lock = lock();
        DistributedLock another = lockOfAnotherClient();
        reconnect(factory());
        Actor actor = actor("holder");
        Holding holding = hold(actor, lock);
        faults().inject(fault);
        faults().heal();
        assertFalse(firstAnswer(another), "the lock that is held should be refused to another client after " + fault);
        holding.assertKept();
        eventually("another client gets the lock that was given back", () -> isFreeIfAnybodyAnswers(another));
    }

    /**
     * The leases are short, because a strategy may exclude a server that lost its data for the length of the longest
     * lease.
     */
    private void assertClientWorksOnAfter(Fault fault) {
        DistributedLockFactory client = newFactory(config -> config.lockDefaults(lease(Scale.RENEWED_LEASE)));
        reconnect(client);
        faults().inject(fault);
        faults().heal();
        DistributedLock lock = client.getLock(name());
        eventually("a client gets a lock after " + fault, () -> isFreeIfAnybodyAnswers(lock));
    }

    /** A client that polls often, even without wake-ups. */
    private DistributedLockFactory impatient() {
        DistributedLockFactory client = newFactory(config -> config.waitCeiling(SOON));
        reconnect(client);
        return client;
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_31_aStageFailsWhenTheBackendCannotBeReached() {
        DistributedLock lock = lock();
        faults().inject(Fault.PARTITION);
        List<Way> ways = new ArrayList<>(WAYS);
        ways.add(PendingStage.timed(Duration.ZERO));
        Actor caller = actor("caller");
        ways.forEach(way -> way.by(caller, lock).failure(LockBackendException.class));
        faults().heal();
        eventually("the lock object works after the outage", () -> isFreeIfAnybodyAnswers(lock));
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_32_aWaitingStageFailsInAnOutageLongerThanItsLease() {
        inCalm(() -> {
            DistributedLock lock = lock();
            Actor holder = actor("holder");
            holder.does("lock()", lock::lock);
            // Connected before the first stage waits: with its short lease, it takes any delay for an outage.
            Map<Way, DistributedLockFactory> clients = new LinkedHashMap<>();
            WAYS.forEach(way -> clients.put(way, impatient()));
            List<PendingStage> stages = new ArrayList<>();
            clients.forEach((way, client) ->
                    stages.add(way.by(actor("caller"), client.getLock(name(), lease(Scale.SHORT_LEASE)))));
            pass(Scale.millis(200));
            for (PendingStage stage : stages) {
                assertFalse(stage.isDone(), () -> stage + " should wait while somebody else holds the lock");
            }
            faults().inject(Fault.PARTITION);
            stages.forEach(stage -> stage.failure(LockBackendException.class));
        });
    }

    /**
     * Makes a client open its connections, also to the server that keeps the lock of {@link #name()} if there are
     * several servers. Does not acquire that lock, since somebody may hold it.
     */
    final void reconnect(DistributedLockFactory client) {
        DistributedLock lock = client.getLock(name("of one who connects"));
        DistributedLock own = client.getLock(name());
        eventually("the client is connected", () -> isFreeIfAnybodyAnswers(lock) && answersAbout(own));
    }

    /** A plain lock has no such query, and only one server. */
    private static boolean answersAbout(DistributedLock lock) {
        try {
            // Both answers are right.
            boolean unused = lock.isLocked();
            return true;
        } catch (UnsupportedOperationException e) {
            return true;
        } catch (LockBackendException e) {
            return false;
        }
    }

    /**
     * Returns whether a client gets the lock, and releases it again. Returns false if the backend cannot be reached, or
     * if the machine stood still until the lease was over.
     */
    final boolean isFreeIfAnybodyAnswers(DistributedLock lock) {
        Actor visitor = Actor.platform("visitor");
        try {
            return visitor.call("tryLock()", () -> {
                long sinceNanos = System.nanoTime();
                try {
                    if (!lock.tryLock()) {
                        return false;
                    }
                } catch (LockBackendException e) {
                    return false;
                }
                try {
                    lock.unlock();
                    return true;
                } catch (LeaseLostException e) {
                    // No lease that a rule asks for here is over sooner.
                    if (System.nanoTime() - sinceNanos
                            < Scale.RENEWED_LEASE.dividedBy(2).toNanos()) {
                        throw e;
                    }
                    retried("a short lease was over before the lock was released");
                    return false;
                }
            });
        } finally {
            visitor.dismiss();
        }
    }

    /** Returns whether a client gets the lock once it reaches the backend. It keeps the lock. */
    private boolean firstAnswer(DistributedLock lock) {
        return firstAnswer(actor("visitor"), lock);
    }

    private static boolean firstAnswer(Actor visitor, DistributedLock lock) {
        AtomicBoolean had = new AtomicBoolean();
        eventually("the backend answers", () -> {
            Pending<Boolean> answer = visitor.begin("tryLock()", lock::tryLock);
            if (answer.outcome() instanceof LockBackendException) {
                return false;
            }
            had.set(answer.result());
            return true;
        });
        return had.get();
    }

    private static void getHold(Actor actor, DistributedLock lock) {
        eventually("the next client gets the lock", () -> {
            Pending<Boolean> answer = actor.begin("tryLock()", lock::tryLock);
            return !(answer.outcome() instanceof LockBackendException) && answer.result();
        });
    }

    /** Fails if a client gets the lock within a time. A request without an answer proves nothing and is repeated. */
    private void assertStaysHeld(String what, DistributedLock lock) {
        Actor visitor = actor("visitor");
        always(what, LATE, () -> !firstAnswer(visitor, lock));
    }

    static void assertHeld(Actor actor, DistributedLock lock) {
        boolean held = actor.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread);
        assertTrue(held, "the lock should be held");
    }

    static void assertNotHeld(Actor actor, DistributedLock lock) {
        boolean held = actor.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread);
        assertFalse(held, "the lock should not be held");
        int holds = actor.call("getHoldCount()", lock::getHoldCount);
        assertEquals(0, holds, "the hold count of a lock that is not held");
    }

    /** Lets a waiter ask the backend once and then wait. */
    private static Duration percent(int percent, Duration of) {
        return of.multipliedBy(percent).dividedBy(100);
    }

    /** Returns the passwords of all endpoints, as they are written in the URI and as they are used. */
    static List<String> passwords(LockConfig config) {
        return config.endpoints().stream()
                .flatMap(endpoint -> password(endpoint).stream())
                .flatMap(password -> Stream.of(
                        password, URI.create("x:///" + password).getPath().substring(1)))
                .distinct()
                .toList();
    }

    private static Optional<String> password(URI endpoint) {
        String authority = Objects.requireNonNullElse(endpoint.getRawAuthority(), "");
        String login = authority.substring(0, Math.max(authority.lastIndexOf('@'), 0));
        return Optional.of(login.substring(login.indexOf(':') + 1)).filter(it -> login.contains(":") && !it.isEmpty());
    }

    /** Adds a password, with which nobody can log in, to each endpoint that has none. */
    static LockConfig.Builder withPasswords(LockConfig.Builder config) {
        return config.endpoints(config.build().endpoints().stream()
                .map(FaultRules::withPassword)
                .toList());
    }

    private static URI withPassword(URI endpoint) {
        if (password(endpoint).isPresent()) {
            return endpoint;
        }
        String uri = endpoint.toString();
        int authority = uri.indexOf("://") + "://".length();
        String login = Objects.requireNonNullElse(endpoint.getRawAuthority(), "");
        int hosts = authority + login.lastIndexOf('@') + 1;
        return URI.create(
                uri.substring(0, authority) + "conformance:hush-hush-" + UNUSED_PASSWORD + "@" + uri.substring(hosts));
    }

    static void assertShowsNone(List<String> secrets, String what, String text) {
        secrets.forEach(it -> assertFalse(text.contains(it), () -> what + " shows a password"));
    }
}
