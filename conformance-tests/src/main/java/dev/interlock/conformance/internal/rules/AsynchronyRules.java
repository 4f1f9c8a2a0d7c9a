// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.rules;

import static dev.interlock.conformance.internal.actor.PendingStage.ACQUIRE;
import static dev.interlock.conformance.internal.actor.PendingStage.WAYS;
import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.conformance.harness.Fault;
import dev.interlock.conformance.harness.Needs;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.PendingStage.Way;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Chapter 16 of the contract: the threads that carry asynchronous acquisitions. How acquisitions begin and end is in
 * chapters 8, 9 and 11.
 */
public abstract class AsynchronyRules extends SeveralNamesRules {
    private static final Duration A_WHILE = Scale.millis(50);
    private static final int MANY = 200;
    private static final int SOME = 20;

    protected AsynchronyRules() {}

    private static List<PendingStage> stages(int number, DistributedLock lock) {
        return IntStream.range(0, number)
                .mapToObj(i -> WAYS.get(i % WAYS.size()).of(lock))
                .toList();
    }

    private static void closeAll(List<PendingStage> stages) {
        stages.forEach(stage -> stage.handle().close());
    }

    /** Closes each handle as it comes, since the other stages wait for that. */
    private static void assertGrantedInTurn(PendingStage... stages) {
        Queue<LockHandle> granted = new ConcurrentLinkedQueue<>();
        for (PendingStage stage : stages) {
            stage.future().thenAccept(result -> granted.add(stage.handle()));
        }
        for (PendingStage ignored : stages) {
            eventually("a stage that waits gets the lock in its turn", () -> !granted.isEmpty());
            LockHandle handle = granted.remove();
            assertTrue(handle.isValid(), "the handle of a stage that was granted");
            handle.close();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes dependents of stages that are granted at once, and that block until they may go on. */
    private List<PendingStage> blocked(int number, String suffix, CountDownLatch until) {
        AtomicInteger blocked = new AtomicInteger();
        List<PendingStage> stages = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            DistributedLock lock = factory().getLock(name(suffix + i));
            Actor holder = holderOf(lock);
            PendingStage stage = ACQUIRE.of(lock);
            stage.future().whenComplete((result, failure) -> {
                blocked.incrementAndGet();
                awaitQuietly(until);
            });
            stages.add(stage);
            holder.does("unlock()", lock::unlock);
        }
        eventually("all dependents run at once", () -> blocked.get() == number);
        return stages;
    }

    @Test
    @Tag("chapter-16")
    @Needs(virtualThreads = true)
    public final void rule_16_1_stagesThatWaitBlockNoPlatformThread() {
        DistributedLock lock = lock();
        DistributedLock elsewhere = lockOfAnotherClient();
        Actor holder = holderOf(lock);
        // A platform thread is in the group of the thread that makes it; those of other tests are not.
        ThreadGroup group = new ThreadGroup("stages");
        Actor caller = actorIn(group, "caller");
        List<PendingStage> stages = new ArrayList<>(caller.call("ask", () -> stages(MANY / 2, lock)));
        stages.addAll(caller.call("ask elsewhere", () -> stages(MANY / 2, elsewhere)));
        always(
                "stages should wait for the lock, and not each on a platform thread",
                A_WHILE.multipliedBy(4),
                () -> group.activeCount() < MANY / 4 && stages.stream().noneMatch(PendingStage::isDone));
        stages.forEach(stage -> stage.future().cancel(true));
        holder.does("unlock()", lock::unlock);
        assertEventuallyFree(elsewhere);
    }

    private static void assertEventuallyFree(DistributedLock lock) {
        eventually("the lock is free", () -> isFree(lock));
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_2_eachOfManyStagesGetsTheLockOnce() {
        inCalm(() -> {
            DistributedLock lock = lock();
            DistributedLock elsewhere = lockOfAnotherClient();
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            Actor holder = holderOf(lock);
            List<CompletableFuture<?>> ends = new ArrayList<>();
            for (int i = 0; i < SOME; i++) {
                PendingStage stage = ACQUIRE.of(i % 2 == 0 ? lock : elsewhere);
                ends.add(stage.future().thenAccept(result -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    ((LockHandle) result).close();
                }));
            }
            holder.does("unlock()", lock::unlock);
            ends.forEach(end -> eventually("a stage among many completes, and its handle is closed", end::isDone));
            ends.forEach(end -> holder.does("close() of the handle of a stage", end::join));
            assertEquals(1, most.get(), "how many stages held the lock at once");
            assertEventuallyFree(lockOfAnotherClient());
        });
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_3_endingOneStageLeavesTheOthersInTheirPlaces() {
        DistributedLock lock = lock();
        for (DistributedLock asked : List.of(lock, lockOfAnotherClient())) {
            Actor holder = holderOf(lock);
            List<PendingStage> stages = stages(3, asked);
            // So that all of them wait.
            pass(A_WHILE);
            assertTrue(stages.get(1).future().cancel(true), "cancel() of a stage that waits");
            always(
                    "the other stages should go on waiting",
                    A_WHILE,
                    () -> !stages.get(0).isDone() && !stages.get(2).isDone());
            holder.does("unlock()", lock::unlock);
            assertGrantedInTurn(stages.get(0), stages.get(2));
            assertEventuallyFree(lock);
        }
    }

    @Test
    @Tag("chapter-16")
    @Needs(faults = Fault.PAUSE)
    public final void rule_16_4_endingAStageDoesNotWaitForTheBackend() {
        DistributedLockFactory client =
                connected(newFactory(config -> config.commandTimeout(Scale.PATIENCE.multipliedBy(4))));
        DistributedLock other = connected(newFactory()).getLock(name());
        for (Way way : WAYS) {
            faults().inject(Fault.PAUSE);
            Actor caller = actor("caller");
            PendingStage stage = way.by(caller, client.getLock(name()));
            assertTrue(
                    caller.call("cancel()", () -> stage.future().cancel(true)),
                    "cancel() of a stage without an answer");
            assertTrue(stage.future().isCancelled(), "a stage should be done when cancel() returns");
            faults().heal();
            eventually("what the request takes after all is given back", () -> isFreeIfAnybodyAnswers(other));
        }
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_5_aDependentMayAcquireLocksAndWaitForThem() {
        DistributedLock lock = lock();
        DistributedLock second = factory().getLock(name("b"));
        DistributedLock third = factory().getLock(name("c"));
        Actor holder = holderOf(lock);
        Actor other = holderOf(second);
        PendingStage stage = ACQUIRE.of(lock);
        var inside = stage.future().thenCompose(handle -> {
            // Blocks, and then goes on without blocking.
            second.lock();
            second.unlock();
            return third.acquireAsync();
        });
        holder.does("unlock() the first", lock::unlock);
        // A thread that waits for a future may be made to run its dependents.
        eventually("the stage completes", stage::isDone);
        pass(A_WHILE);
        assertFalse(inside.isDone(), "a dependent should wait for the lock that somebody else holds");
        other.does("unlock() the second", second::unlock);
        eventually("a dependent gets the locks that it waits for", inside::isDone);
        inside.join().close();
        stage.handle().close();
        assertFree(lock);
    }

    @Test
    @Tag("chapter-16")
    @Needs(Capability.AUTO_RENEWAL)
    public final void rule_16_6_dependentsThatBlockHoldUpNoRenewal() {
        connected(factory());
        inCalm(again -> {
            CountDownLatch until = new CountDownLatch(1);
            DistributedLock renewed = factory().getLock(name(again + "renewed"), lease(Scale.RENEWED_LEASE));
            Lease lease = lockBy(actor("holder"), renewed);
            List<PendingStage> stages = new ArrayList<>();
            try {
                stages.addAll(blocked(SOME, again + "blocked ", until));
                always(
                        "a lease should be renewed while dependents block",
                        Scale.RENEWED_LEASE.multipliedBy(2),
                        lease::isValid);
            } finally {
                until.countDown();
            }
            closeAll(stages);
        });
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_7_dependentsThatBlockHoldUpNoOtherStageAndNoListener() {
        CountDownLatch until = new CountDownLatch(1);
        DistributedLock lost = connected(factory()).getLock(name("lost"), unrenewed(Scale.SHORT_LEASE));
        List<PendingStage> stages = new ArrayList<>();
        try {
            stages.addAll(blocked(SOME, "blocked ", until));
            AtomicBoolean told = new AtomicBoolean();
            lockBy(actor("loser"), lost).onLoss(cause -> told.set(true));
            eventually("a loss is told while dependents block", told::get);
            for (Way way : WAYS) {
                way.of(lock()).handle().close();
            }
        } finally {
            until.countDown();
        }
        closeAll(stages);
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_8_aDependentThatThrowsHarmsNeitherItsStageNorOthers() {
        DistributedLock lock = lock();
        for (Way way : WAYS) {
            Actor holder = holderOf(lock);
            PendingStage stage = way.of(lock);
            AtomicBoolean ran = new AtomicBoolean();
            stage.future().thenRun(() -> ran.set(true));
            var broken = stage.future().thenRun(() -> {
                throw new IllegalStateException("thrown by a dependent");
            });
            PendingStage next = way.of(lock);
            holder.does("unlock()", lock::unlock);
            assertGrantedInTurn(stage, next);
            eventually("the dependents end", () -> broken.isDone() && ran.get());
            assertTrue(broken.isCompletedExceptionally(), "the stage of a dependent that threw");
            assertFalse(stage.future().isCompletedExceptionally(), "a stage of which a dependent threw");
            assertEventuallyFree(lock);
        }
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_9_dependentsOfAStageThatCloseFailsDoNotHoldUpClose() {
        DistributedLock lock = lock();
        holderOf(lock);
        CountDownLatch until = new CountDownLatch(1);
        try {
            for (Way way : WAYS) {
                DistributedLockFactory client = newFactory();
                PendingStage stage = way.of(client.getLock(name()));
                AtomicBoolean told = new AtomicBoolean();
                stage.future().whenComplete((result, failure) -> {
                    told.set(failure instanceof IllegalStateException);
                    awaitQuietly(until);
                });
                pass(A_WHILE);
                close(client);
                eventually("the dependent is told that the factory was closed", told::get);
            }
        } finally {
            until.countDown();
        }
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_10_dependentsRunWithoutAnInterrupt() {
        DistributedLock lock = lock();
        for (Way way : WAYS) {
            Actor holder = holderOf(lock);
            Actor caller = actor("caller");
            caller.interrupt();
            PendingStage stage = way.by(caller, lock);
            Queue<Boolean> interrupted = new ConcurrentLinkedQueue<>();
            stage.future().thenRun(() -> interrupted.add(Thread.currentThread().isInterrupted()));
            holder.does("unlock()", lock::unlock);
            eventually("the dependent runs", () -> !interrupted.isEmpty());
            assertEquals(List.of(false), List.copyOf(interrupted), "the interrupt status of the thread of a dependent");
            stage.handle().close();
        }
    }

    /** Counts the threads that it makes for stages: while nothing else happens, there are no others. */
    private static final class Threads implements ThreadFactory {
        private final Queue<Thread> made = new ConcurrentLinkedQueue<>();
        private volatile boolean refusing;

        @Override
        @SuppressWarnings("NullAway") // A thread factory may refuse to make a thread.
        public Thread newThread(Runnable task) {
            if (refusing) {
                return null;
            }
            Thread thread = new Thread(task, "made by the user");
            thread.setDaemon(true);
            made.add(thread);
            return thread;
        }

        boolean made(Thread thread) {
            return made.contains(thread);
        }
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_11_theConfiguredThreadFactoryMakesTheThreadsOfStages() {
        Threads threads = new Threads();
        DistributedLock lock =
                newFactory(config -> config.threadFactory(threads)).getLock(name());
        for (Way way : WAYS) {
            Actor holder = holderOf(lock);
            PendingStage stage = way.of(lock);
            Queue<Thread> ranOn = new ConcurrentLinkedQueue<>();
            stage.future().thenRun(() -> ranOn.add(Thread.currentThread()));
            holder.does("unlock()", lock::unlock);
            eventually("the dependent runs", () -> !ranOn.isEmpty());
            assertTrue(threads.made(ranOn.element()), "a dependent should run on a thread of the configured factory");
            stage.handle().close();
        }
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_12_theThreadOfAStageEndsWithIt() {
        Threads threads = new Threads();
        DistributedLockFactory client = connected(newFactory(config -> config.threadFactory(threads)));
        DistributedLock lock = client.getLock(name());
        Actor holder = holderOf(lock);
        PendingStage granted = ACQUIRE.of(lock);
        PendingStage cancelled = ACQUIRE.of(lock);
        PendingStage timed = PendingStage.timed(A_WHILE).of(lock);
        Queue<Thread> ofStages = new ConcurrentLinkedQueue<>();
        Thread rule = Thread.currentThread();
        for (PendingStage stage : List.of(granted, timed)) {
            stage.future().whenComplete((result, failure) -> {
                // If the time of the stage is over already, its dependent runs here.
                if (!Thread.currentThread().equals(rule)) {
                    ofStages.add(Thread.currentThread());
                }
            });
        }
        // So that all of them wait.
        pass(A_WHILE);
        Thread[] before = threads.made.toArray(Thread[]::new);
        eventually("the time of a stage ends", timed::isDone);
        timed.assertEmpty();
        cancelled.future().cancel(true);
        holder.does("unlock()", lock::unlock);
        eventually("the stage completes", granted::isDone);
        granted.handle().close();
        eventually("the threads of stages end, and only those of the factory stay", () -> {
            long alive = List.of(before).stream().filter(Thread::isAlive).count();
            return List.of(before).size() - alive >= 3 && ofStages.stream().noneMatch(Thread::isAlive);
        });
    }

    @Test
    @Tag("chapter-16")
    public final void rule_16_13_aStageWithoutAThreadFailsAndLeavesNothing() {
        Threads threads = new Threads();
        DistributedLockFactory client = connected(newFactory(config -> config.threadFactory(threads)));
        DistributedLock lock = client.getLock(name());
        for (Way way : WAYS) {
            threads.refusing = true;
            way.by(actor("caller"), lock).failure(IllegalStateException.class);
            threads.refusing = false;
            assertFree(lockOfAnotherClient());
            way.of(lock).handle().close();
        }
    }

    @Test
    @Tag("chapter-16")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_16_14_aStageOverSeveralNamesGetsAllOfThemOrNone() {
        List<String> names = List.of(name("a"), name("b"), name("c"));
        DistributedLock lock = factory().getLock(names);
        DistributedLockFactory other = newFactory();
        DistributedLock last = other.getLock(name("c"));
        Actor holder = holderOf(last);
        PendingStage.timed(A_WHILE).of(lock).assertEmpty();
        assertFree(other.getLock(name("a")));
        for (Way way : WAYS) {
            PendingStage stage = way.by(actor("caller"), lock);
            eventually(
                    "a stage takes the names before the one for which it waits",
                    () -> !isFree(other.getLock(name("b"))));
            assertFalse(stage.isDone(), "a stage should wait for the last name");
            holder.does("unlock()", last::unlock);
            LockHandle handle = stage.handle();
            assertEquals(names, handle.lockNames(), "lockNames() of the handle");
            names.forEach(name -> assertHeldBySomebody(other.getLock(name)));
            handle.close();
            names.forEach(name -> assertFree(other.getLock(name)));
            holder.does("lock()", last::lock);
        }
    }

    @Test
    @Tag("chapter-16")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_16_15_endingAStageOverSeveralNamesGivesAllOfThemBack() {
        DistributedLock lock = factory().getLock(List.of(name("a"), name("b"), name("c")));
        DistributedLockFactory other = newFactory();
        DistributedLock last = other.getLock(name("c"));
        Actor holder = holderOf(last);
        for (Way way : WAYS) {
            PendingStage stage = way.by(actor("caller"), lock);
            eventually(
                    "a stage takes the names before the one for which it waits",
                    () -> !isFree(other.getLock(name("b"))));
            Pending<?> waiting = actor("waiter").beginTo("lock() and unlock() of a name behind a stage", () -> {
                other.getLock(name("a")).lock();
                other.getLock(name("a")).unlock();
            });
            assertTrue(stage.future().cancel(true), "cancel() of a stage that waits");
            waiting.result();
            assertEventuallyFree(other.getLock(name("b")));
        }
        holder.does("unlock()", last::unlock);
        always("no name should be taken for a stage that was ended", A_WHILE, () -> isFree(last));
    }

    @Test
    @Tag("chapter-16")
    @Needs(Capability.SEVERAL_NAMES)
    public final void rule_16_16_endingAStageGivesItsPlaceUpBeforeItsDependentsRun() {
        DistributedLock lock = factory().getLock(List.of(name("a"), name("b")));
        DistributedLockFactory other = newFactory();
        DistributedLock first = other.getLock(name("a"));
        DistributedLock last = other.getLock(name("b"));
        Actor holder = holderOf(last);
        List<Consumer<CompletableFuture<?>>> endings = List.of(
                stage -> stage.cancel(true), stage -> stage.completeExceptionally(new IllegalStateException("ended")));
        for (Consumer<CompletableFuture<?>> ending : endings) {
            for (Way way : WAYS) {
                CountDownLatch until = new CountDownLatch(1);
                PendingStage stage = way.by(actor("caller"), lock);
                stage.future().whenComplete((result, failure) -> awaitQuietly(until));
                eventually("a stage takes the first name", () -> !isFree(first));
                Pending<?> ended = actor("whoever ends the stage")
                        .beginTo("to end it, and run its dependents", () -> ending.accept(stage.future()));
                try {
                    assertEventuallyFree(first);
                } finally {
                    until.countDown();
                }
                ended.result();
            }
        }
        holder.does("unlock()", last::unlock);
        assertEventuallyFree(last);
    }
}
