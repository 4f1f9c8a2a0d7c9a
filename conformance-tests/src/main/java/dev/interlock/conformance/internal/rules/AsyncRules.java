// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.PendingStage.ACQUIRE;
import static dev.interlock.conformance.internal.actor.PendingStage.WAYS;
import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static dev.interlock.conformance.internal.actor.Waits.spin;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.FaultInjector;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.PendingStage.Way;
import dev.interlock.conformance.internal.actor.Scale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Chapter 8 of the contract, continued: acquisitions whose callers do not wait, their stages, dependents and
 * cancellation.
 */
public abstract class AsyncRules extends WaitingRules {
    private static final Duration SOON = Scale.millis(500);

    /** A time within which a stage that does not wait would be complete. */
    static final Duration A_WHILE = Scale.millis(50);

    private static final int RACES = 100;

    /** The cancellation comes before the release, or up to this many steps of 50 µs after it. */
    private static final int STEPS = 40;

    AsyncRules() {}

    @Test
    @Tag("chapter-8")
    public final void rule_8_25_aStageCompletesWithAHandleOfNoThread() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor caller = actor("caller");
        for (Way way : WAYS) {
            LockHandle handle = way.by(caller, lock).handle();
            assertEquals(name(), handle.lockName(), "lockName() of the handle");
            assertHoldsNoneByQueries(caller, lock);
            assertHoldsNothing(caller, lock);
            assertFalse(triesToLock(caller, lock), "tryLock() of what a handle holds, by the caller");
            assertHeldBySomebody(other);
            assertTrue(handle.isValid(), "the handle should be valid until it is closed");
            actor("closer").does("close()", handle::close);
            assertFree(other);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_26_aStageWaitsForTheLockAndItsCallerDoesNot() {
        DistributedLock lock = lock();
        for (DistributedLock asked : List.of(lock, lockOfAnotherClient())) {
            for (Way way : WAYS) {
                Actor holder = holderOf(lock);
                PendingStage stage = way.by(actor("caller"), asked);
                always("a stage should wait while somebody else holds the lock", A_WHILE, () -> !stage.isDone());
                holder.does("unlock()", lock::unlock);
                actor("closer").does("close()", stage.handle()::close);
            }
        }
        assertFree(lock);
    }

    @Test
    @Tag("chapter-8")
    @Needs(faults = Fault.PAUSE)
    public final void rule_8_27_theCallerOfAStageDoesNotWaitForTheBackend() {
        // The backend answers before the time-out, but not before the test has seen that the calls have returned.
        DistributedLockFactory client =
                connected(newFactory(config -> config.commandTimeout(Scale.PATIENCE.multipliedBy(4))));
        List<PendingStage> stages = new ArrayList<>();
        faults().inject(Fault.PAUSE);
        for (Way way : WAYS) {
            stages.add(way.by(actor("caller"), client.getLock(name(way.what()))));
        }
        for (PendingStage stage : stages) {
            assertFalse(stage.isDone(), () -> stage + " is done though nobody has answered");
        }
        faults().heal();
        for (PendingStage stage : stages) {
            actor("closer").does("close()", stage.handle()::close);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_28_theHolderGetsAHandleAfterItsUnlock() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        for (Way way : WAYS) {
            holder.does("lock()", lock::lock);
            PendingStage stage = way.by(holder, lock);
            always("a stage should wait while its caller holds the lock", A_WHILE, () -> !stage.isDone());
            holder.does("unlock()", lock::unlock);
            LockHandle handle = stage.handle();
            assertHoldsNoneByQueries(holder, lock);
            holder.does("close()", handle::close);
        }
        assertFree(lock);
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_29_aStageTellsItsCallerOfNoLoss() {
        connected(factory());
        Map<Way, Loser> losers = new LinkedHashMap<>();
        WAYS.forEach(way -> losers.put(way, loser(actor("caller"), way.what())));
        losers.forEach((way, loser) -> {
            loser.awaitLoss();
            DistributedLock lock = factory().getLock(loser.lock.name());
            LockHandle handle = way.by(loser.thread, lock).handle();
            loser.thread.does("close()", handle::close);
            loser.isTold("unlock() after an asynchronous acquisition", DistributedLock::unlock);
        });
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_30_anInterruptOfTheCallerDoesNotEndAStage() {
        DistributedLock lock = lock();
        for (Way way : WAYS) {
            Actor holder = holderOf(lock);
            Actor caller = actor("caller");
            caller.interrupt();
            PendingStage stage = way.by(caller, lock);
            assertTrue(caller.isInterrupted(), "the interrupt status should still be set");
            caller.interrupt();
            always("an interrupt of the caller should not end a stage", A_WHILE, () -> !stage.isDone());
            holder.does("unlock()", lock::unlock);
            caller.does("close()", stage.handle()::close);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_31_aTimedStageEndsEmptyWithItsTime() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        holderOf(lock);
        Actor ahead = actor("ahead in the queue");
        ahead.settle(ahead.beginTo("lock()", other::lock));
        Actor caller = actor("caller");
        for (DistributedLock asked : List.of(lock, other, lockOfAnotherClient())) {
            for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
                assertOnceWithin(SOON, "a stage of " + none, () -> emptyAfter(none, caller, asked));
            }
            assertAtLeast(WAIT, "the time of a stage", emptyAfter(WAIT, caller, asked));
        }
    }

    private static Duration emptyAfter(Duration wait, Actor caller, DistributedLock asked) {
        long start = System.nanoTime();
        PendingStage.timed(wait).by(caller, asked).assertEmpty();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_32_aTimedStageGetsALockThatIsFreeInTime() {
        DistributedLock lock = lock();
        Actor caller = actor("caller");
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE), Scale.PATIENCE, longest)) {
            LockHandle handle =
                    PendingStage.timed(wait).by(caller, lockOfAnotherClient()).handle();
            caller.does("close()", handle::close);
        }
        for (Duration wait : List.of(Scale.PATIENCE, longest)) {
            Actor holder = holderOf(lock);
            PendingStage stage = PendingStage.timed(wait).by(caller, lockOfAnotherClient());
            pass(A_WHILE);
            holder.does("unlock()", lock::unlock);
            caller.does("close()", stage.handle()::close);
        }
    }

    @Test
    @Tag("chapter-8")
    @SuppressWarnings({"NullAway", "DataFlowIssue"})
    public final void rule_8_33_aMissingTimeIsRefusedAndGivesNoStage() {
        DistributedLock lock = lock();
        actor("caller")
                .begin("tryAcquireAsync(null)", () -> lock.tryAcquireAsync(null))
                .failure(NullPointerException.class);
        assertFree(lockOfAnotherClient());
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_34_dependentsOfAStageMayBlock() {
        DistributedLock first = lock();
        DistributedLock second = factory().getLock(name("b"));
        Actor holder = actor("holder");
        holder.does("lock() both", () -> {
            first.lock();
            second.lock();
        });
        Actor caller = actor("caller");
        PendingStage blocked = ACQUIRE.by(caller, first);
        PendingStage unblocked = ACQUIRE.by(caller, second);
        Map<String, Thread> ranOn = new ConcurrentHashMap<>();
        CountDownLatch over = new CountDownLatch(1);
        blocked.future().thenRun(() -> {
            ranOn.put("early", Thread.currentThread());
            awaitQuietly(over);
        });
        try {
            holder.does("unlock() the first", first::unlock);
            eventually("the dependent runs", () -> ranOn.containsKey("early"));
            assertNotSame(holder.thread(), ranOn.get("early"), "the thread of a dependent");
            assertTrue(requireNonNull(ranOn.get("early")).isDaemon(), "a dependent should run on a daemon thread");
            holder.does("unlock() the second", second::unlock);
            holder.does("close()", unblocked.handle()::close);
            actor("newcomer").does("lock() and unlock() a third", () -> {
                DistributedLock third = factory().getLock(name("c"));
                third.lock();
                third.unlock();
            });
            caller.does(
                    "add a dependent", () -> blocked.future().thenRun(() -> ranOn.put("late", Thread.currentThread())));
            assertEquals(caller.thread(), ranOn.get("late"), "the thread of a dependent of a stage that is complete");
        } finally {
            over.countDown();
        }
        holder.does("close()", blocked.handle()::close);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Tag("chapter-8")
    @Needs(virtualThreads = true)
    public final void rule_8_35_dependentsOfAStageRunOnAVirtualThread() throws ReflectiveOperationException {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        PendingStage stage = ACQUIRE.by(actor("caller"), lock);
        List<Thread> ranOn = new CopyOnWriteArrayList<>();
        stage.future().thenRun(() -> ranOn.add(Thread.currentThread()));
        holder.does("unlock()", lock::unlock);
        eventually("the dependent runs", () -> !ranOn.isEmpty());
        assertEquals(
                true,
                Thread.class.getMethod("isVirtual").invoke(ranOn.get(0)),
                "whether a dependent runs on a virtual thread");
        holder.does("close()", stage.handle()::close);
    }

    /** The ways to end a stage before it has the lock. */
    private static Map<String, Consumer<CompletableFuture<?>>> endings() {
        Map<String, Consumer<CompletableFuture<?>>> endings = new LinkedHashMap<>();
        endings.put("cancel(true)", stage -> stage.cancel(true));
        endings.put("cancel(false)", stage -> stage.cancel(false));
        endings.put("complete(null)", stage -> stage.complete(null));
        endings.put("orTimeout(1 ms)", stage -> stage.orTimeout(1, TimeUnit.MILLISECONDS));
        return endings;
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_36_endingAStageGivesItsPlaceUp() {
        DistributedLock lock = lock();
        int turn = 0;
        for (DistributedLock asked : List.of(lock, lockOfAnotherClient())) {
            for (Map.Entry<String, Consumer<CompletableFuture<?>>> ending :
                    endings().entrySet()) {
                Actor holder = holderOf(lock);
                PendingStage stage = WAYS.get(turn++ % WAYS.size()).by(actor("caller"), asked);
                // The stage waits first, and others wait behind it.
                pass(A_WHILE);
                Actor next = actor("waiter behind a stage");
                Pending<?> waiting = next.beginTo("lock() behind a stage that ends by " + ending.getKey(), asked::lock);
                next.settle(waiting);
                ending.getValue().accept(stage.future());
                eventually("the stage ends by " + ending.getKey(), stage::isDone);
                holder.does("unlock()", lock::unlock);
                waiting.result();
                next.does("unlock()", asked::unlock);
            }
            turn++;
        }
        DistributedLock third = lockOfAnotherClient();
        always("the lock should stay free; a stage that was ended took it", A_WHILE, () -> isFree(third));
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_37_cancellingACompleteStageChangesNothing() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        for (Way way : WAYS) {
            PendingStage stage = way.by(actor("caller"), lock);
            LockHandle handle = stage.handle();
            assertFalse(stage.future().cancel(true), "cancel() of a stage that is complete");
            stage.future().orTimeout(1, TimeUnit.MILLISECONDS);
            always("a handle that was handed out should stay valid", A_WHILE, handle::isValid);
            assertHeldBySomebody(other);
            actor("closer").does("close()", handle::close);
            assertFree(other);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_38_cancellingADependentChangesNothing() {
        DistributedLock lock = lock();
        for (Way way : WAYS) {
            Actor holder = holderOf(lock);
            PendingStage stage = way.by(actor("caller"), lockOfAnotherClient());
            stage.future().thenApply(result -> result).cancel(true);
            stage.future().thenAccept(result -> {}).cancel(true);
            always("to cancel a dependent should not end its stage", A_WHILE, () -> !stage.isDone());
            holder.does("unlock()", lock::unlock);
            LockHandle handle = stage.handle();
            assertTrue(handle.isValid(), "the handle should be valid");
            holder.does("close()", handle::close);
        }
    }

    @Test
    @Tag("chapter-8")
    @Needs(faults = Fault.DELAY)
    public final void rule_8_39_aStageThatIsCancelledDuringItsRequestGivesTheLockBack() {
        connected(factory());
        DistributedLock other = connected(newFactory()).getLock(name());
        for (Way way : WAYS) {
            boolean cancelled = false;
            // On a busy machine the answer may come first; then the handle is rightly valid.
            for (int i = 0; !cancelled; i++) {
                if (i > 0) {
                    retried("a cancellation came after the answer that it should have met");
                }
                if (i == Stage.TRIES) {
                    fail("a stage could never be cancelled during its request");
                }
                faults().inject(Fault.DELAY);
                PendingStage stage = way.by(actor("caller"), lock());
                pass(FaultInjector.DELAY.dividedBy(5));
                cancelled = stage.future().cancel(true);
                faults().heal();
                if (!cancelled) {
                    actor("closer").does("close()", stage.handle()::close);
                }
            }
            eventually("a lock that is granted to a cancelled stage is given back", () -> isFree(other));
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_40_aCancellationThatMeetsTheGrantHasOneOutcome() {
        inCalm(() -> {
            DistributedLock lock = lock();
            List<DistributedLock> askers = List.of(lock, lockOfAnotherClient());
            DistributedLock other = lockOfAnotherClient();
            Actor holder = actor("holder");
            Actor caller = actor("caller");
            for (int round = 0; round < RACES; round++) {
                holder.does("lock()", lock::lock);
                PendingStage stage = ACQUIRE.by(caller, askers.get(round % askers.size()));
                caller.does("let it begin to wait", () -> pass(Scale.millis(2)));
                Pending<?> unlocking = holder.beginTo("unlock()", lock::unlock);
                spin(TimeUnit.MICROSECONDS.toNanos(50L * (round % STEPS)));
                boolean cancelled = stage.future().cancel(true);
                unlocking.result();
                if (!cancelled) {
                    LockHandle handle = stage.handle();
                    assertTrue(handle.isValid(), "the handle of a stage that was not cancelled should be valid");
                    assertHeldBySomebody(other);
                    caller.does("close()", handle::close);
                }
                eventually("the lock is free after a cancellation that met the grant", () -> isFree(other));
            }
        });
    }
}
