// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 7 of the contract: fencing. */
public abstract class FencingRules extends LeaseRules {
    private static final long TOO_LARGE = 1L << 53;
    private static final int HOLDS = 6;
    private static final int WAITERS = 24;
    private static final int CLIENTS = 3;
    private static final int THREADS_PER_CLIENT = 3;
    private static final int ROUNDS = 12;

    /** How long to hold a lock, so that others queue for it. */
    private static final long A_MOMENT = TimeUnit.MICROSECONDS.toNanos(200);

    FencingRules() {}

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_1_everyHoldHasAToken() {
        DistributedLock lock = lock();
        Actor actor = actor("holder");
        List<Actor.Action> ways = List.of(
                lock::lock,
                lock::lockInterruptibly,
                () -> assertTrue(lock.tryLock(), "a free lock"),
                () -> assertTrue(lock.tryLock(1, TimeUnit.SECONDS), "a free lock"));
        for (Actor.Action way : ways) {
            actor.does("lock the lock", way);
            token(actor.call("lease()", () -> lock.lease().orElseThrow()));
            actor.does("unlock()", lock::unlock);
        }
        LockHandle acquired = acquire(actor, lock);
        token(acquired);
        actor.does("close()", acquired::close);
        token(actor.call("tryAcquire()", () -> lock.tryAcquire(Duration.ZERO).orElseThrow()));
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_2_tokensGrowFromHoldToHold() {
        DistributedLock lock = lock();
        Actor first = actor("first");
        Actor second = actor("second");
        long last = 0;
        for (int i = 0; i < HOLDS; i++) {
            Actor holder = i % 2 == 0 ? first : second;
            last = assertLarger(last, token(lockBy(holder, lock)));
            holder.does("unlock()", lock::unlock);
            LockHandle handle = acquire(first, lock);
            last = assertLarger(last, token(handle));
            second.does("close()", handle::close);
        }
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_3_tokensGrowFromClientToClient() {
        List<DistributedLock> locks = List.of(lock(), lockOfAnotherClient(), lockOfAnotherClient());
        Actor actor = actor("holder");
        long last = 0;
        for (int i = 0; i < HOLDS; i++) {
            for (DistributedLock lock : locks) {
                last = assertLarger(last, tokenOfHold(actor, lock));
            }
        }
        factory().close();
        assertLarger(last, tokenOfHold(actor, lockOfAnotherClient()));
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_4_tokensGrowAmongThoseWhoWaitInOneClient() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Queue<Long> tokens = new ConcurrentLinkedQueue<>();
        Actor holder = actor("holder");
        tokens.add(token(lockBy(holder, lock)));
        List<Pending<?>> waiting = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            Actor waiter = actor("waiter " + i);
            Pending<?> call = waiter.beginTo("lock() and unlock()", () -> holdByThread(lock, tokens));
            waiting.add(call);
            if (i == WAITERS - 1) {
                waiter.settle(call);
            }
        }
        holder.does("unlock()", lock::unlock);
        waiting.forEach(Pending::result);
        tokens.add(tokenOfHold(holder, other));
        assertGrows(tokens);
    }

    @Test
    @Tag("chapter-7")
    @Needs({Capability.REENTRANT, Capability.FENCING})
    public final void rule_7_5_reentryKeepsTheToken() {
        DistributedLock lock = lock();
        Actor actor = actor("holder");
        Lease outer = lockBy(actor, lock);
        long token = token(outer);
        Lease inner = lockBy(actor, lock);
        assertEquals(token, token(inner), "the token of the inner hold");
        assertEquals(token, token(outer), "the token of the outer hold, while there is an inner one");
        actor.does("inner unlock()", lock::unlock);
        assertEquals(token, token(actor.call("lease()", () -> lock.lease().orElseThrow())), "the token after it");
        actor.does("unlock()", lock::unlock);
        assertLarger(token, tokenOfHold(actor, lockOfAnotherClient()));
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_6_renewalKeepsTheToken() {
        inCalm(again -> {
            Duration time = Scale.RENEWED_LEASE.multipliedBy(2);
            Actor actor = actor("holder");
            DistributedLock lock = connected(factory()).getLock(name(again), lease(time));
            Lease lease = lockBy(actor, lock);
            long token = token(lease);
            // Automatic renewal, where there is one, falls into this time too.
            pass(time.dividedBy(2));
            actor.does(
                    "ensureValid()",
                    () -> lease.ensureValid(time.multipliedBy(5).dividedBy(8)));
            assertEquals(token, token(lease), "the token of a lease that was renewed");
            assertEquals(
                    token, token(actor.call("lease()", () -> lock.lease().orElseThrow())), "the token of the holder");
            actor.does("unlock()", lock::unlock);
            assertLarger(token, tokenOfHold(actor, newFactory().getLock(name(again))));
        });
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_7_aLeaseKeepsItsTokenForEver() {
        Actor actor = actor("holder");
        LockHandle givenUp = acquire(actor, lock());
        long first = token(givenUp);
        actor.does("close()", givenUp::close);
        LockHandle lost = acquire(actor, factory().getLock(name(), unrenewed(Scale.RENEWED_LEASE)));
        long second = token(lost);
        awaitLoss(lost);
        tokenOfHold(actor, lockOfAnotherClient());
        assertEquals(first, token(givenUp), "the token of a lease that was given up, after other holds");
        assertEquals(second, token(lost), "the token of a lease that was lost, after another hold");
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_8_tokensGrowAfterALeaseHasRunOut() {
        DistributedLock other = lockOfAnotherClient();
        Actor actor = actor("holder");
        LockHandle stale = acquire(actor, connected(factory()).getLock(name(), unrenewed(Scale.RENEWED_LEASE)));
        long next = tokenOfHold(actor("next holder"), other);
        assertLarger(token(stale), next);
    }

    @Test
    @Tag("chapter-7")
    @Needs(value = Capability.FENCING, faults = Fault.FLUSH)
    public final void rule_7_9_tokensGrowAfterAFlush() {
        assertGrowsAfter(() -> faults().inject(Fault.FLUSH));
    }

    @Test
    @Tag("chapter-7")
    @Needs(value = Capability.FENCING, faults = Fault.RESTART_WITHOUT_DATA)
    public final void rule_7_10_tokensGrowAfterARestartWithoutData() {
        assertGrowsAfter(() -> faults().inject(Fault.RESTART_WITHOUT_DATA));
    }

    @Test
    @Tag("chapter-7")
    @Needs(value = Capability.FENCING, faults = Fault.KILL)
    public final void rule_7_11_tokensGrowAfterAKill() {
        assertGrowsAfter(() -> {
            faults().inject(Fault.KILL);
            faults().heal();
        });
    }

    private void assertGrowsAfter(Runnable loss) {
        DistributedLock lock = factory().getLock(name(), unrenewed(Scale.LONG_LEASE));
        DistributedLock other = lockOfAnotherClient();
        Actor actor = actor("holder");
        long last = 0;
        for (int i = 0; i < HOLDS; i++) {
            last = assertLarger(last, tokenOfHold(actor, lock));
        }
        last = assertLarger(last, token(acquire(actor, lock)));
        // Without data, only a clock is left to count by, and it may tick in milliseconds.
        pass(Scale.millis(20));
        loss.run();
        assertLarger(last, tokenOfHoldInTime(actor("next holder"), other));
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_12_attemptsThatFailUseNoTokenUpTwice() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor holder = actor("holder");
        Actor waiter = actor("waiter");
        Actor interrupted = actor("interrupted waiter");
        long last = 0;
        for (int i = 0; i < HOLDS / 2; i++) {
            last = assertLarger(last, token(lockBy(holder, lock)));
            assertEquals(false, waiter.call("tryLock()", () -> other.tryLock()), "tryLock() of a held lock");
            assertEquals(
                    false,
                    waiter.call("tryLock() for a while", () -> other.tryLock(20, TimeUnit.MILLISECONDS)),
                    "timed tryLock() of a held lock");
            Pending<?> interruptible = interrupted.beginTo("lockInterruptibly()", lock::lockInterruptibly);
            interrupted.settle(interruptible);
            interrupted.interrupt();
            interruptible.failure(InterruptedException.class);
            holder.does("unlock()", lock::unlock);
            last = assertLarger(last, tokenOfHold(waiter, i % 2 == 0 ? other : lock));
        }
    }

    @Test
    @Tag("chapter-7")
    @Needs(value = Capability.FENCING, faults = Fault.LOSE_NEXT_REPLY)
    public final void rule_7_13_aLostReplyMakesNoTokenRepeat() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor actor = actor("holder");
        Queue<Long> tokens = new ConcurrentLinkedQueue<>();
        tokens.add(tokenOfHold(actor, other));
        tokens.add(tokenOfHold(actor, lock));
        faults().inject(Fault.LOSE_NEXT_REPLY);
        // This may succeed: the client library may send the request again.
        Throwable thrown = actor.beginTo("tryAcquire()", () -> {
                    try (LockHandle lease = lock.tryAcquire(Duration.ZERO).orElseThrow()) {
                        tokens.add(token(lease));
                    }
                })
                .outcome();
        assertBackendFailureIfAny("tryAcquire() of a free lock whose reply was lost", thrown);
        tokens.add(tokenOfHoldInTime(actor, lock));
        tokens.add(tokenOfHoldInTime(actor, other));
        assertGrows(tokens);
    }

    @Test
    @Tag("chapter-7")
    @Needs(Capability.FENCING)
    public final void rule_7_14_tokensAreInTheOrderOfHoldsUnderLoad() {
        inCalm(() -> {
            Queue<Long> tokens = new ConcurrentLinkedQueue<>();
            List<Pending<?>> work = new ArrayList<>();
            CountDownLatch start = new CountDownLatch(1);
            for (int client = 0; client < CLIENTS; client++) {
                DistributedLock lock = newFactory().getLock(name());
                for (int thread = 0; thread < THREADS_PER_CLIENT; thread++) {
                    boolean byHandle = thread == 0;
                    work.add(actor("worker " + client + "." + thread).beginTo("work", () -> {
                        start.await();
                        for (int round = 0; round < ROUNDS; round++) {
                            if (byHandle) {
                                holdByHandle(lock, tokens);
                            } else {
                                holdByThread(lock, tokens);
                            }
                        }
                    }));
                }
            }
            start.countDown();
            finish(work, tokens::size);
            assertGrows(tokens);
        });
    }

    /** Waits for calls that take turns. A busy machine may take long over all of them, but not over one. */
    static void finish(List<Pending<?>> calls, IntSupplier turns) {
        while (!calls.stream().allMatch(Pending::isDone)) {
            // The others may wait for one that has failed.
            calls.stream().filter(Pending::hasFailed).forEach(Pending::result);
            int before = turns.getAsInt();
            eventually(
                    "somebody has the next turn",
                    () -> turns.getAsInt() > before
                            || calls.stream().anyMatch(Pending::hasFailed)
                            || calls.stream().allMatch(Pending::isDone));
        }
        calls.forEach(Pending::result);
    }

    private static void holdByHandle(DistributedLock lock, Queue<Long> tokens) throws InterruptedException {
        try (LockHandle lease = lock.acquire()) {
            tokens.add(token(lease));
            LockSupport.parkNanos(A_MOMENT);
        }
    }

    private static void holdByThread(DistributedLock lock, Queue<Long> tokens) {
        lock.lock();
        try {
            tokens.add(token(lock.lease().orElseThrow()));
            LockSupport.parkNanos(A_MOMENT);
        } finally {
            lock.unlock();
        }
    }

    @Test
    @Tag("chapter-7")
    @Needs(without = Capability.FENCING)
    public final void rule_7_15_aStrategyWithoutFencingGivesNoToken() {
        Actor actor = actor("holder");
        DistributedLockFactory factory = factory();
        OptionalLong ofThread = lockBy(actor, factory.getLock(name("a"))).fencingToken();
        OptionalLong ofHandle = acquire(actor, factory.getLock(name("b"))).fencingToken();
        assertEquals(OptionalLong.empty(), ofThread, "the token of a strategy that does not declare FENCING");
        assertEquals(OptionalLong.empty(), ofHandle, "the token of a strategy that does not declare FENCING");
    }

    private static long token(Lease lease) {
        OptionalLong token = lease.fencingToken();
        assertTrue(token.isPresent(), "each lease of a strategy that declares FENCING should have a token");
        assertTrue(
                token.getAsLong() > 0 && token.getAsLong() < TOO_LARGE,
                () -> "a token should be positive and below 2^53, and is " + token.getAsLong());
        return token.getAsLong();
    }

    /** The token of a hold that begins, as soon as the lock is free, and ends at once. */
    private static long tokenOfHold(Actor actor, DistributedLock lock) {
        return actor.call("acquire() and close()", () -> tokenOfHold(lock));
    }

    private static long tokenOfHold(DistributedLock lock) throws InterruptedException {
        try (LockHandle lease = lock.acquire()) {
            return token(lease);
        }
    }

    /** As {@link #tokenOfHold}, but retries, since a client may need several attempts after the backend was away. */
    private static long tokenOfHoldInTime(Actor actor, DistributedLock lock) {
        AtomicLong token = new AtomicLong();
        eventually(
                "the lock can be had again",
                () -> actor.call("acquire() and close()", () -> {
                    try {
                        token.set(tokenOfHold(lock));
                        return true;
                    } catch (LockBackendException e) {
                        return false;
                    }
                }));
        return token.get();
    }

    private static long assertLarger(long before, long token) {
        assertTrue(
                token > before,
                () -> "the token of a hold should be larger than that of the previous hold, " + before + ", and is "
                        + token);
        return token;
    }

    private static void assertGrows(Iterable<Long> tokens) {
        Iterator<Long> all = tokens.iterator();
        for (long last = 0; all.hasNext(); ) {
            last = assertLarger(last, all.next());
        }
    }
}
