// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.always;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.interlock.DistributedLock;
import dev.interlock.LeaseLostException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.plain.Beyond;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 5 of the contract: timed waits. */
public abstract class TimedWaitRules extends InterruptRules {
    /** The time of waits that end without the lock. */
    static final Duration WAIT = Scale.millis(200);

    private static final Duration SOON = Scale.millis(500);
    private static final Duration TOO_LONG = Duration.ofDays(1);
    private static final Duration HALF_AS_LONG_AGAIN = Duration.ofMillis(1500);
    private static final Duration LONGEST_WAIT = WAIT.multipliedBy(4);
    private static final int TRIES = 10;

    protected TimedWaitRules() {}

    /** Fails unless one of several tries takes less than a bound, since a busy machine may delay any of them. */
    final void assertOnceWithin(Duration bound, String what, Supplier<Duration> oneTry) {
        List<Duration> taken = new ArrayList<>();
        for (int i = 0; i < TRIES; i++) {
            Duration time = oneTry.get();
            if (time.compareTo(bound) < 0) {
                return;
            }
            taken.add(time);
            if (taken.size() < TRIES) {
                retried("a call took longer than it should");
            }
        }
        fail(what + " should take less than " + bound + " and took " + taken);
    }

    /** Begins an acquisition that must not get the lock. The result is how long it took. */
    static Pending<Duration> refusal(Actor actor, String what, Callable<Boolean> acquisition) {
        return actor.begin(what, () -> {
            long start = System.nanoTime();
            boolean acquired = acquisition.call();
            Duration taken = Duration.ofNanos(System.nanoTime() - start);
            assertFalse(acquired, what + " got the lock while somebody else held it");
            return taken;
        });
    }

    static Callable<Boolean> timedTryLock(DistributedLock lock, Duration wait) {
        return () -> lock.tryLock(wait.toMillis(), MILLISECONDS);
    }

    private static Callable<Boolean> tryAcquire(DistributedLock lock, Duration wait) {
        return () -> lock.tryAcquire(wait).isPresent();
    }

    /** A thread that holds the lock from now on. */
    final Actor holderOf(DistributedLock lock) {
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        return holder;
    }

    /**
     * Acquires the lock on a thread that never unlocks it, with a lease that ends soon, but not before those who wait
     * for it have begun to.
     */
    final void holdUntilTheLeaseEnds() {
        DistributedLock dying = connected(factory()).getLock(name(), unrenewed(Scale.RENEWED_LEASE));
        actor("holder").does("lock()", () -> locked(dying));
    }

    /** Releases a lock, which may have been lost meanwhile. */
    static void giveBack(DistributedLock lock) {
        try {
            lock.unlock();
        } catch (LeaseLostException e) {
            // The lock is free in this case too.
        }
    }

    /** Closes a handle, whose lease may have been lost meanwhile. */
    private static void giveBack(LockHandle handle) {
        try {
            handle.close();
        } catch (LeaseLostException e) {
            // The lock is free in this case too.
        }
    }

    /**
     * Releases a lock that was waited for. A lock that was handed over may have a short lease, which ends if the
     * machine stands still.
     */
    final void unlockAfterWait(DistributedLock lock) {
        releaseAfterWait(lock::unlock);
    }

    /** As {@link #unlockAfterWait}, for a handle. */
    final void closeAfterWait(LockHandle handle) {
        releaseAfterWait(handle::close);
    }

    private void releaseAfterWait(Runnable release) {
        try {
            release.run();
        } catch (LeaseLostException e) {
            if (!hasStoodStill()) {
                throw e;
            }
            retried("the machine stood still");
        }
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_1_tryLockDoesNotWaitForAHeldLock() {
        DistributedLock lock = lock();
        holderOf(lock);
        Actor local = actor("thread of the holder's client");
        assertOnceWithin(
                SOON,
                "tryLock()",
                () -> refusal(local, "tryLock()", lock::tryLock).result());
        DistributedLock remoteLock = lockOfAnotherClient();
        Actor remote = actor("thread of another client");
        assertOnceWithin(
                SOON,
                "tryLock()",
                () -> refusal(remote, "tryLock()", remoteLock::tryLock).result());
        Actor waiter = actor("waiter");
        waiter.settle(waiter.beginTo("lock()", remoteLock::lock));
        assertOnceWithin(
                SOON,
                "tryLock() while another thread waits",
                () -> refusal(remote, "tryLock()", remoteLock::tryLock).result());
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_2_timedTryLockGetsAFreeLock() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        assertTrue(actor.call("tryLock(time)", timedTryLock(lock, Scale.PATIENCE)), "tryLock(time) of a free lock");
        assertTrue(actor.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread), "it should hold the lock");
        assertHeldBySomebody(lockOfAnotherClient());
        actor.does("unlock()", lock::unlock);
        assertFree(lock);
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_3_timedTryLockDoesNotGiveUpEarly() {
        DistributedLock lock = lock();
        holderOf(lock);
        Pending<Duration> local = refusal(actor("same client"), "tryLock(time)", timedTryLock(lock, WAIT));
        Pending<Duration> remote =
                refusal(actor("another client"), "tryLock(time)", timedTryLock(lockOfAnotherClient(), WAIT));
        assertAtLeast(WAIT, "tryLock(time)", local.result());
        assertAtLeast(WAIT, "tryLock(time)", remote.result());
    }

    static void assertAtLeast(Duration wait, String what, Duration taken) {
        assertTrue(taken.compareTo(wait) >= 0, () -> what + " should wait for " + wait + " and gave up after " + taken);
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_4_timedTryLockEndsWithItsTime() {
        DistributedLock lock = lock();
        DistributedLock remoteLock = lockOfAnotherClient();
        holderOf(lock);
        Actor local = actor("same client");
        Actor remote = actor("another client");
        Duration bound = WAIT.multipliedBy(3).dividedBy(2);
        String what = "tryLock(time) with a time of " + WAIT;
        assertOnceWithin(
                bound,
                what + " in the holder's client",
                () -> refusal(local, what, timedTryLock(lock, WAIT)).result());
        assertOnceWithin(
                bound,
                what + " in another client",
                () -> refusal(remote, what, timedTryLock(remoteLock, WAIT)).result());
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_5_timedTryLockGetsALockThatIsFreedInTime() {
        for (DistributedLock other : List.of(lock(), lockOfAnotherClient())) {
            assertGetsItInTime("tryLock(time)", timedTryLock(other, Scale.PATIENCE), () -> unlockAfterWait(other));
        }
    }

    /** Asserts that a waiter does not get the lock while it is held, and gets it when it is freed. */
    private void assertGetsItInTime(String what, Callable<Boolean> acquisition, Actor.Action release) {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        Actor waiter = actor("waiter");
        Pending<Boolean> waiting = waiter.begin(what, acquisition);
        waiter.settle(waiting);
        assertFalse(waiting.isDone(), what + " should wait for the lock as long as its time is not over");
        holder.does("unlock()", lock::unlock);
        assertTrue(waiting.result(), what + " should get a lock that is freed in time");
        waiter.does("release", release);
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_6_timedTryLockHeedsTheUnit() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        holderOf(lock);
        Pending<Duration> micros = refusal(
                actor("waiter of microseconds"),
                "tryLock in microseconds",
                () -> other.tryLock(TimeUnit.NANOSECONDS.toMicros(WAIT.toNanos()), MICROSECONDS));
        Pending<Duration> nanos = refusal(
                actor("waiter of nanoseconds"),
                "tryLock in nanoseconds",
                () -> other.tryLock(WAIT.toNanos(), NANOSECONDS));
        assertAtLeast(WAIT, "tryLock in microseconds", micros.result());
        assertAtLeast(WAIT, "tryLock in nanoseconds", nanos.result());
        Pending<Boolean> days = actor("waiter of days").begin("tryLock in days", () -> other.tryLock(1, DAYS));
        always("tryLock of one day should still wait", Scale.millis(100), () -> !days.isDone());
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_7_aTimeOfZeroOrLessDoesNotWait() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        holderOf(lock);
        Actor actor = actor("other");
        for (DistributedLock held : List.of(lock, other)) {
            for (long time : List.of(0L, -1L, Long.MIN_VALUE)) {
                for (TimeUnit unit : List.of(NANOSECONDS, DAYS)) {
                    String what = "tryLock(" + time + ", " + unit + ")";
                    assertOnceWithin(
                            SOON,
                            what,
                            () -> refusal(actor, what, () -> held.tryLock(time, unit))
                                    .result());
                }
            }
        }
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_8_aTimeOfZeroOrLessGetsAFreeLock() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        for (long time : List.of(0L, -1L, Long.MIN_VALUE)) {
            String what = "tryLock(" + time + ", SECONDS)";
            assertTrue(actor.call(what, () -> lock.tryLock(time, SECONDS)), what + " should get a free lock");
            actor.does("unlock()", lock::unlock);
        }
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_9_theLongestTimeDoesNotOverflow() {
        DistributedLock other = lockOfAnotherClient();
        for (TimeUnit unit : List.of(NANOSECONDS, SECONDS, DAYS)) {
            assertGetsItInTime(
                    "tryLock(Long.MAX_VALUE, " + unit + ")",
                    () -> other.tryLock(Long.MAX_VALUE, unit),
                    () -> unlockAfterWait(other));
        }
    }

    @Test
    @Tag("chapter-5")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_5_10_tryAcquireGetsALockThatIsFreedInTime() {
        for (DistributedLock other : List.of(lock(), lockOfAnotherClient())) {
            List<LockHandle> handles = new ArrayList<>();
            assertGetsItInTime(
                    "tryAcquire(wait)",
                    () -> {
                        other.tryAcquire(Scale.PATIENCE).ifPresent(handles::add);
                        return !handles.isEmpty();
                    },
                    () -> handles.forEach(this::closeAfterWait));
        }
    }

    @Test
    @Tag("chapter-5")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_5_11_tryAcquireEndsWithItsTime() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        holderOf(lock);
        Actor actor = actor("other");
        String what = "tryAcquire(" + WAIT + ")";
        for (DistributedLock held : List.of(lock, other)) {
            assertOnceWithin(WAIT.multipliedBy(3).dividedBy(2), what, () -> {
                Duration taken = refusal(actor, what, tryAcquire(held, WAIT)).result();
                assertAtLeast(WAIT, what, taken);
                return taken;
            });
        }
    }

    @Test
    @Tag("chapter-5")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_5_12_tryAcquireOfZeroOrLessAsksOnce() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        Actor actor = actor("other");
        List<Duration> waits = List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE));
        for (Duration wait : waits) {
            String what = "tryAcquire(" + wait + ")";
            holder.does("lock()", lock::lock);
            for (DistributedLock held : List.of(lock, other)) {
                assertOnceWithin(
                        SOON,
                        what,
                        () -> refusal(actor, what, tryAcquire(held, wait)).result());
            }
            holder.does("unlock()", lock::unlock);
            Optional<LockHandle> lease = actor.call(what, () -> other.tryAcquire(wait));
            assertTrue(lease.isPresent(), what + " should get a free lock");
            actor.does("close()", lease.orElseThrow()::close);
        }
    }

    @Test
    @Tag("chapter-5")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_5_13_tryAcquireOfTheLongestDurationDoesNotOverflow() {
        DistributedLock other = lockOfAnotherClient();
        for (Duration wait :
                List.of(Duration.ofNanos(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))) {
            List<LockHandle> handles = new ArrayList<>();
            assertGetsItInTime(
                    "tryAcquire(" + wait + ")",
                    () -> {
                        other.tryAcquire(wait).ifPresent(handles::add);
                        return !handles.isEmpty();
                    },
                    () -> handles.forEach(this::closeAfterWait));
        }
    }

    @Test
    @Tag("chapter-5")
    @SuppressWarnings({"NullAway", "DataFlowIssue"})
    public final void rule_5_14_missingArgumentsAreRefusedWithoutAnEffect() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        actor.begin("tryLock(1, null)", () -> lock.tryLock(1, null)).failure(NullPointerException.class);
        actor.begin("tryLock(0, null)", () -> lock.tryLock(0, null)).failure(NullPointerException.class);
        actor.begin("tryAcquire(null)", () -> lock.tryAcquire(null)).failure(NullPointerException.class);
        assertFalse(actor.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread), "it should not hold the lock");
        assertFree(lock);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_15_oneTimeCoversTheQueueAndTheBackend() {
        DistributedLock lock = lock();
        holderOf(lock);
        DistributedLock other = lockOfAnotherClient();
        Actor first = actor("first in the queue");
        Actor second = actor("second in the queue");
        Duration[] wait = {WAIT.multipliedBy(2)};
        assertOnceWithin(HALF_AS_LONG_AGAIN, "each second of a tryLock(time) behind another waiter", () -> {
            Optional<Duration> taken = timeBehind(first, second, other, wait[0]);
            if (taken.isEmpty() && wait[0].compareTo(LONGEST_WAIT) < 0) {
                // The longer the wait, the less a delay matters.
                wait[0] = wait[0].multipliedBy(2);
            }
            return taken.orElse(TOO_LONG);
        });
    }

    /**
     * Makes a timed wait behind another one that is a little shorter. Returns how long it took for each second of its
     * time, or nothing unless the second waiter came to the head of the queue late, but with time left.
     */
    private static Optional<Duration> timeBehind(Actor first, Actor second, DistributedLock lock, Duration wait) {
        Duration waitAhead = wait.multipliedBy(85).dividedBy(100);
        Pending<Long> ahead = first.begin("tryLock(time)", () -> {
            long start = System.nanoTime();
            assertFalse(timedTryLock(lock, waitAhead).call(), "the lock is held by another client");
            long end = System.nanoTime();
            assertAtLeast(waitAhead, "tryLock(time)", Duration.ofNanos(end - start));
            return end;
        });
        first.settle(ahead);
        long start = System.nanoTime();
        Duration taken =
                refusal(second, "tryLock(time)", timedTryLock(lock, wait)).result();
        long behind = ahead.result() - start;
        boolean shows = behind > wait.toNanos() / 2 && behind < wait.toNanos() / 100 * 97;
        return shows ? Optional.of(taken.multipliedBy(1000).dividedBy(wait.toMillis())) : Optional.empty();
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_16_aTimedWaitEndsInTheQueueToo() {
        DistributedLock lock = lock();
        holderOf(lock);
        DistributedLock other = lockOfAnotherClient();
        Actor first = actor("first in the queue");
        Pending<?> ahead = first.beginTo("lock()", other::lock);
        first.settle(ahead);
        Pending<Duration> thread = refusal(actor("thread"), "tryLock(time)", timedTryLock(other, WAIT));
        Pending<Duration> handle = refusal(actor("handle"), "tryAcquire(wait)", tryAcquire(other, WAIT));
        assertAtLeast(WAIT, "tryLock(time) behind another waiter", thread.result());
        assertAtLeast(WAIT, "tryAcquire(wait) behind another waiter", handle.result());
        assertFalse(ahead.isDone(), "the first in the queue should still wait");
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_17_aTimedOutWaiterLeavesNoGhost() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        DistributedLock other = lockOfAnotherClient();
        Duration wait = Scale.millis(50);
        List<Pending<Duration>> waiting = List.of(
                refusal(actor("thread"), "tryLock(time)", timedTryLock(other, wait)),
                refusal(actor("handle"), "tryAcquire(wait)", tryAcquire(other, wait)),
                refusal(actor("local thread"), "tryLock(time)", timedTryLock(lock, wait)),
                refusal(actor("local handle"), "tryAcquire(wait)", tryAcquire(lock, wait)));
        waiting.forEach(Pending::result);
        holder.does("unlock()", lock::unlock);
        DistributedLock third = lockOfAnotherClient();
        always("the lock should stay free; a waiter that has given up took it", Scale.millis(200), () -> isFree(third));
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_18_aTimedOutWaiterHoldsUpNobodyBehindIt() {
        for (DistributedLock queue : List.of(lock(), lockOfAnotherClient())) {
            DistributedLock lock = lock();
            Actor holder = holderOf(lock);
            Actor first = actor("first in the queue");
            Actor second = actor("second in the queue");
            Actor third = actor("third in the queue");
            Pending<Duration> ahead = refusal(first, "tryLock(time)", timedTryLock(queue, WAIT));
            first.settle(ahead);
            Pending<Duration> between = refusal(second, "tryLock(time)", timedTryLock(queue, WAIT.dividedBy(2)));
            second.settle(between);
            Pending<?> behind = third.beginTo("lock()", queue::lock);
            third.settle(behind);
            between.result();
            ahead.result();
            third.settle(behind);
            holder.does("unlock()", lock::unlock);
            behind.result();
            third.does("unlock()", () -> unlockAfterWait(queue));
        }
    }

    @Test
    @Tag("chapter-5")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_5_19_aTimedWaitOutlastsTheLeaseOfTheHolder() {
        DistributedLock other = connected(newFactory()).getLock(name());
        holdUntilTheLeaseEnds();
        assertTrue(
                actor("thread").call("tryLock(time)", timedTryLock(other, Scale.PATIENCE)),
                "tryLock(time) should get a lock whose lease ends while it waits");
    }

    @Test
    @Tag("chapter-5")
    @Needs(beyond = Beyond.LEASES)
    public final void rule_5_20_aWaitOutlastsItsOwnLease() {
        inCalm(again -> {
            DistributedLock lock = factory().getLock(name(again));
            Actor holder = holderOf(lock);
            LockOptions brief = unrenewed(Scale.RENEWED_LEASE);
            DistributedLock forLock = connected(newFactory()).getLock(name(again), brief);
            DistributedLock forInterruptible = connected(newFactory()).getLock(name(again), brief);
            DistributedLock forHandle = connected(newFactory()).getLock(name(again), brief);
            List<Pending<?>> waiting = List.of(
                    actor("thread").beginTo("lock()", () -> {
                        forLock.lock();
                        giveBack(forLock);
                    }),
                    actor("interruptible thread").beginTo("lockInterruptibly()", () -> {
                        forInterruptible.lockInterruptibly();
                        giveBack(forInterruptible);
                    }),
                    actor("handle").beginTo("acquire()", () -> giveBack(forHandle.acquire())));
            always(
                    "a wait without a time should last for as long as the lock is held",
                    Scale.RENEWED_LEASE.multipliedBy(3).dividedBy(2),
                    () -> waiting.stream().noneMatch(Pending::isDone));
            holder.does("unlock()", lock::unlock);
            waiting.forEach(Pending::result);
        });
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_21_manyTimedOutWaitsUseNothingUp() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        DistributedLock other = lockOfAnotherClient();
        List<DistributedLock> queues = List.of(lock, other, lock, other);
        List<Actor> actors = new ArrayList<>();
        List<Pending<?>> storm = new ArrayList<>();
        for (DistributedLock queue : queues) {
            Actor actor = actor("waiter " + actors.size());
            actors.add(actor);
            storm.add(actor.beginTo("tryLock(time) many times", () -> {
                for (int i = 0; i < 25; i++) {
                    assertFalse(queue.tryLock(1, MILLISECONDS), "tryLock(time) of a held lock");
                    assertTrue(queue.tryAcquire(Duration.ofMillis(1)).isEmpty(), "tryAcquire(wait) of a held lock");
                }
            }));
        }
        storm.forEach(waits -> waits.result(Scale.PATIENCE.multipliedBy(3)));
        holder.does("unlock()", lock::unlock);
        for (int i = 0; i < actors.size(); i++) {
            DistributedLock queue = queues.get(i);
            assertTrue(
                    actors.get(i).call("tryLock(time)", timedTryLock(queue, Scale.PATIENCE)),
                    "a free lock should be had after many waits that timed out");
            actors.get(i).does("unlock()", queue::unlock);
        }
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_22_aThreadThatTimedOutIsNoHolder() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        DistributedLock other = lockOfAnotherClient();
        for (DistributedLock queue : List.of(lock, other)) {
            Actor actor = actor("waiter");
            refusal(actor, "tryLock(time)", timedTryLock(queue, Scale.millis(20)))
                    .result();
            assertFalse(actor.call("isHeldByCurrentThread()", queue::isHeldByCurrentThread), "a refused thread holds");
            assertEquals(
                    0, actor.call("getHoldCount()", queue::getHoldCount), "the holds of a thread that was refused");
            assertTrue(actor.call("lease()", queue::lease).isEmpty(), "a refused thread should have no lease");
            actor.beginTo("unlock()", queue::unlock).failure(IllegalMonitorStateException.class);
        }
        assertTrue(holder.call("isHeldByCurrentThread()", lock::isHeldByCurrentThread), "the holder should hold on");
        assertHeldBySomebody(other);
    }

    @Test
    @Tag("chapter-5")
    public final void rule_5_23_theShortestTimeGetsAFreeLock() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        for (long nanos = 1; nanos < MILLISECONDS.toNanos(1); nanos += nanos / 4 + 1) {
            long time = nanos;
            String what = "tryLock(" + time + ", NANOSECONDS)";
            assertTrue(actor.call(what, () -> lock.tryLock(time, NANOSECONDS)), what + " should get a free lock");
            actor.does("unlock()", lock::unlock);
            assertTrue(
                    actor.call("tryAcquire", () -> {
                        Optional<LockHandle> lease = lock.tryAcquire(Duration.ofNanos(time));
                        lease.ifPresent(LockHandle::close);
                        return lease.isPresent();
                    }),
                    "tryAcquire of " + time + " ns should get a free lock");
        }
    }

    @Test
    @Tag("chapter-5")
    @Needs(beyond = Beyond.HANDLES)
    public final void rule_5_24_tryAcquireWithoutATimeAsksOnce() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        Actor actor = actor("other");
        holder.does("lock()", lock::lock);
        for (DistributedLock held : List.of(lock, other)) {
            assertOnceWithin(
                    SOON,
                    "tryAcquire()",
                    () -> refusal(actor, "tryAcquire()", () -> held.tryAcquire().isPresent())
                            .result());
        }
        holder.begin("tryAcquire() by the holder", () -> lock.tryAcquire()).failure(IllegalStateException.class);
        holder.does("unlock()", lock::unlock);
        for (DistributedLock free : List.of(lock, other)) {
            Optional<LockHandle> handle = actor.call("tryAcquire()", () -> free.tryAcquire());
            assertTrue(handle.isPresent(), "tryAcquire() should get a free lock");
            assertHeldBySomebody(lockOfAnotherClient());
            actor.does("close()", handle.orElseThrow()::close);
        }
    }
}
