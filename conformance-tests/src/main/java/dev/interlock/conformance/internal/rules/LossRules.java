// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.plain.Beyond;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 2 of the contract, continued: how a thread is told of a loss. */
public abstract class LossRules extends OwnershipRules {
    private static final int TRIES = 5;

    LossRules() {}

    /** A call that a thread makes about a lock. */
    interface Call {
        void about(DistributedLock lock) throws Exception;
    }

    static final Map<String, Call> LOCKS = new TreeMap<>(
            Map.of("lock()", DistributedLock::lock, "lockInterruptibly()", DistributedLock::lockInterruptibly));

    static final Map<String, Call> TRY_LOCKS = new TreeMap<>(
            Map.of("tryLock()", lock -> lock.tryLock(), "timed tryLock()", lock -> lock.tryLock(1, TimeUnit.SECONDS)));

    static final Map<String, Call> HANDLES = new TreeMap<>(Map.of(
            "acquire()",
            DistributedLock::acquire,
            "tryAcquire()",
            lock -> lock.tryAcquire(),
            "timed tryAcquire()",
            lock -> lock.tryAcquire(Duration.ofSeconds(1))));

    private static final Map<String, Call> QUERIES = new TreeMap<>(Map.of(
            "isHeldByCurrentThread()",
            lock -> assertFalse(lock.isHeldByCurrentThread(), "isHeldByCurrentThread() after the loss"),
            "getHoldCount()",
            lock -> assertEquals(0, lock.getHoldCount(), "getHoldCount() after the loss"),
            "lease()",
            lock -> assertEquals(Optional.empty(), lock.lease(), "lease() after the loss")));

    private static Map<String, Call> acquisitions() {
        Map<String, Call> all = new LinkedHashMap<>();
        Stream.of(LOCKS, TRY_LOCKS, HANDLES).forEach(all::putAll);
        return all;
    }

    /** A thread that has lost a lock, and has made no call that told it so. */
    final class Loser {
        final Actor thread;
        final DistributedLock lock;
        final Lease lease;
        private final CountDownLatch lost = new CountDownLatch(1);

        Loser(Actor thread, DistributedLock lock) {
            this.thread = thread;
            this.lock = lock;
            this.lease = thread.call("lock() and lease()", () -> {
                Optional<Lease> held = Optional.empty();
                for (int i = 0; held.isEmpty() && i < TRIES; i++) {
                    if (i > 0) {
                        retried("a short lease was over before it was read");
                    }
                    locked(lock);
                    held = lock.lease();
                }
                return held.orElseThrow(() -> new AssertionError("lease() is empty after lock()"));
            });
            lease.onLoss(cause -> lost.countDown());
        }

        Loser awaitLoss() {
            eventually("a lease that is not renewed is lost", () -> lost.getCount() == 0);
            return this;
        }

        void isTold(String what, Call call) {
            LeaseLostException e = thread.beginTo(what, () -> call.about(lock)).failure(LeaseLostException.class);
            assertEquals(lock.name(), e.lockName(), "lockName() of the exception");
        }
    }

    final Loser loser(Actor thread, String suffix) {
        return new Loser(thread, factory().getLock(name(suffix), unrenewed(Scale.SHORT_LEASE)));
    }

    /** Makes a thread lose a lock for each of the calls. */
    private Map<String, Loser> losers(Collection<String> calls) {
        connected(factory());
        Map<String, Loser> losers = new LinkedHashMap<>();
        calls.forEach(call -> losers.put(call, loser(actor("thread that makes the call " + call), call)));
        losers.values().forEach(Loser::awaitLoss);
        return losers;
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_32_lockTellsOfALoss() {
        assertTellsAndLeavesTheLockFree(LOCKS);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_33_tryLockTellsOfALoss() {
        assertTellsAndLeavesTheLockFree(TRY_LOCKS);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_34_acquiringAHandleTellsOfALoss() {
        assertTellsAndLeavesTheLockFree(HANDLES);
    }

    private void assertTellsAndLeavesTheLockFree(Map<String, Call> calls) {
        DistributedLock other = lockOfAnotherClient();
        Map<String, Loser> losers = losers(calls.keySet());
        calls.forEach((what, call) -> {
            // The lease is longer than any test, so that a lock that is acquired by mistake is noticed.
            Objects.requireNonNull(losers.get(what))
                    .isTold(what, lock -> call.about(factory().getLock(lock.name())));
            DistributedLock same = newFactory().getLock(name(what));
            eventually("the lock, which nobody holds, is free", () -> isFree(same));
        });
        calls.forEach((what, call) -> {
            Loser loser = loser(actor("thread whose lock is taken"), "a").awaitLoss();
            Actor next = actor("next holder");
            next.does("lock()", other::lock);
            loser.isTold(what + " of a lock that another client holds", call);
            assertHolds(next, other);
            next.does("unlock()", other::unlock);
        });
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_35_queriesTellOfALoss() {
        Map<String, Loser> losers = losers(QUERIES.keySet());
        QUERIES.forEach((what, call) -> {
            Loser loser = Objects.requireNonNull(losers.get(what));
            loser.thread.does(what, () -> call.about(loser.lock));
            assertLocksAfresh(loser);
        });
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_36_oneAcquisitionAtMostIsRefusedForALoss() {
        Map<String, Call> calls = acquisitions();
        calls.put("unlock()", DistributedLock::unlock);
        Map<String, Loser> losers = losers(calls.keySet());
        calls.forEach((what, call) -> {
            Loser loser = Objects.requireNonNull(losers.get(what));
            loser.isTold(what, call);
            assertLocksAfresh(loser);
        });
    }

    private void assertLocksAfresh(Loser loser) {
        DistributedLock lock = factory().getLock(loser.lock.name());
        loser.thread.does("lock() after the loss was told", lock::lock);
        assertHolds(loser.thread, lock);
        assertHeldBySomebody(newFactory().getLock(lock.name()));
        loser.thread.does("unlock()", lock::unlock);
        assertHoldsNothing(loser.thread, lock);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_37_unlockTellsOfALossThatAnAcquisitionHasTold() {
        Map<String, Call> calls = acquisitions();
        Map<String, Loser> losers = losers(calls.keySet());
        calls.forEach((what, call) -> {
            Loser loser = Objects.requireNonNull(losers.get(what));
            loser.isTold(what, call);
            loser.isTold("unlock()", DistributedLock::unlock);
            assertHoldsNothing(loser.thread, loser.lock);
        });
    }

    @Test
    @Tag("chapter-2")
    @Needs(faults = Fault.PARTITION, beyond = Beyond.LEASES)
    public final void rule_2_38_aLossIsToldWithoutTheBackend() {
        Map<String, Call> calls = acquisitions();
        Map<String, Loser> losers = losers(calls.keySet());
        faults().inject(Fault.PARTITION);
        calls.forEach((what, call) ->
                Objects.requireNonNull(losers.get(what)).isTold(what + " while the backend cannot be reached", call));
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_39_anInterruptOnEntryGoesBeforeALoss() {
        Map<String, Call> calls = acquisitions();
        Map<String, Loser> losers = losers(calls.keySet());
        calls.forEach((what, call) -> {
            Loser loser = Objects.requireNonNull(losers.get(what));
            loser.thread.interrupt();
            if (List.of("lock()", "tryLock()", "tryAcquire()").contains(what)) {
                loser.isTold(what + " by an interrupted thread", call);
                assertTrue(loser.thread.isInterrupted(), "the interrupt status should still be set");
            } else {
                loser.thread.beginTo(what, () -> call.about(loser.lock)).failure(InterruptedException.class);
                loser.isTold("lock() after InterruptedException", DistributedLock::lock);
            }
        });
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_2_40_aLossIsToldToItsThreadAboutItsLockAlone() {
        connected(factory());
        Loser loser = loser(twin(), "a").awaitLoss();
        DistributedLock lock = lock();
        for (Actor another : List.of(twin(), actor("another thread"))) {
            another.does("lock() by another thread", lock::lock);
            another.does("unlock() by another thread", lock::unlock);
            assertHoldsNothing(another, lock);
        }
        DistributedLock otherName = factory().getLock(name("b"));
        DistributedLock otherClient = lockOfAnotherClient();
        for (DistributedLock other : List.of(otherName, otherClient)) {
            loser.thread.does("lock() of another name, or through another client", other::lock);
            loser.thread.does("unlock() of it", other::unlock);
        }
        loser.isTold("lock()", DistributedLock::lock);
    }

    @Test
    @Tag("chapter-2")
    @Needs(beyond = {Beyond.LEASES, Beyond.HANDLES})
    public final void rule_2_41_theLossOfAHandleIsToldToNoThread() {
        connected(factory());
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.SHORT_LEASE));
        CountDownLatch lost = new CountDownLatch(1);
        Actor actor = actor("thread that acquired the handle");
        actor.call("acquire()", () -> granted(lock::acquire)).onLoss(cause -> lost.countDown());
        eventually("a handle that is not renewed is lost", () -> lost.getCount() == 0);
        actor.does("lock() after the loss of a handle", lock()::lock);
        actor.does("unlock()", lock()::unlock);
        assertHoldsNothing(actor, lock);
    }
}
