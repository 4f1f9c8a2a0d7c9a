// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static dev.interlock.conformance.internal.actor.PendingStage.ACQUIRE;
import static dev.interlock.conformance.internal.actor.PendingStage.WAYS;
import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.interlock.DistributedLock;
import dev.interlock.LockHandle;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.PendingStage.Way;
import dev.interlock.conformance.internal.actor.Scale;
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

/** Chapter 8 of the contract, continued: the stages of asynchronous acquisitions, their dependents and their cancellation. */
abstract class StageRules extends AsyncRules {
    private static final int TRIES = 5;
    private static final int RACES = 100;

    /** A cancellation comes before the release, or so many steps of 50 µs after it. */
    private static final int STEPS = 40;

    StageRules() {}

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

    /** The ways to say that a lock is not wanted any more. */
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
                // So that it waits, and others wait behind it.
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
            // Where the machine is so busy that the answer comes first, the handle is there and that is right.
            for (int i = 0; !cancelled; i++) {
                if (i > 0) {
                    retried("a cancellation came after the answer that it should have met");
                }
                if (i == TRIES) {
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
    }

    private static void spin(long nanos) {
        long until = System.nanoTime() + nanos;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }
}
