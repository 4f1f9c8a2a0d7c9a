// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.stages;

import static dev.interlock.conformance.wrong.WrongTimedWaits.spoilt;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.specimens.ForwardingHandle;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** Locks whose asynchronous acquisitions are wrong. */
public final class WrongStages {
    private WrongStages() {}

    public static List<WrongLock> locks() {
        List<WrongLock> locks = new ArrayList<>(List.of(
                spoilt("theCallerOfAStageHoldsTheLock", () -> CallerHolds::new, "8.25", "8.28"),
                aHandleIsClosedByTheCallerOfItsStageAlone(),
                askingForAStageBlocks(),
                aStageAsksOnceOnTheThreadOfItsCaller(),
                aStageFailsIfTheLockIsTaken(),
                anInterruptedCallerGetsNoStage(),
                askingForAStageSwallowsTheInterrupt(),
                stagesOfAClientShareOneThread(),
                aThreadThatKeepsTheJvmAliveCarriesAStage()));
        locks.addAll(timed());
        return locks;
    }

    private static final class CallerHolds extends ForwardingLock {
        private volatile Thread caller = new Thread();

        CallerHolds(DistributedLock correct) {
            super(correct);
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync() {
            caller = Thread.currentThread();
            return super.acquireAsync();
        }

        @Override
        public boolean isHeldByCurrentThread() {
            return super.isHeldByCurrentThread() || Thread.currentThread().equals(caller);
        }
    }

    private static WrongLock aHandleIsClosedByTheCallerOfItsStageAlone() {
        return SpoiltStages.lock(
                "aHandleIsClosedByTheCallerOfItsStageAlone",
                (correct, call) -> {
                    Thread caller = Thread.currentThread();
                    return SpoiltStages.following(call.get(), new CompletableFuture<>())
                            .thenApply(result -> ofCaller(caller, result));
                },
                "8.25",
                "8.26");
    }

    private static Object ofCaller(Thread caller, Object result) {
        LockHandle handle = SpoiltStages.handle(result).orElseThrow();
        LockHandle spoilt = new ForwardingHandle(handle) {
            @Override
            public void close() {
                if (!Thread.currentThread().equals(caller)) {
                    throw new IllegalMonitorStateException(lockName());
                }
                super.close();
            }
        };
        return result instanceof Lease ? spoilt : Optional.of(spoilt);
    }

    private static WrongLock askingForAStageBlocks() {
        return SpoiltStages.lock(
                "askingForAStageBlocks",
                (correct, call) -> {
                    CompletableFuture<Object> stage = call.get();
                    stage.exceptionally(failure -> failure).join();
                    return stage;
                },
                "8.26",
                "8.27",
                "8.28",
                "8.30",
                "8.34");
    }

    private static WrongLock aStageAsksOnceOnTheThreadOfItsCaller() {
        return SpoiltStages.lock(
                "aStageAsksOnceOnTheThreadOfItsCaller",
                (correct, call) -> {
                    correct.tryAcquire().ifPresent(LockHandle::close);
                    return call.get();
                },
                "8.27",
                "8.28",
                "8.29",
                "9.31",
                "11.20");
    }

    private static WrongLock aStageFailsIfTheLockIsTaken() {
        return SpoiltStages.lock(
                "aStageFailsIfTheLockIsTaken",
                (correct, call) -> correct.tryAcquire()
                        .<CompletionStage<Object>>map(CompletableFuture::completedFuture)
                        .orElseGet(() -> CompletableFuture.failedFuture(new IllegalStateException("taken"))),
                "8.26",
                "8.30",
                "8.31",
                "8.34");
    }

    private static WrongLock anInterruptedCallerGetsNoStage() {
        return SpoiltStages.lock(
                "anInterruptedCallerGetsNoStage",
                (correct, call) -> Thread.currentThread().isInterrupted()
                        ? CompletableFuture.failedFuture(new InterruptedException())
                        : call.get(),
                "8.30");
    }

    private static WrongLock askingForAStageSwallowsTheInterrupt() {
        return SpoiltStages.lock(
                "askingForAStageSwallowsTheInterrupt",
                (correct, call) -> {
                    Thread.interrupted();
                    return call.get();
                },
                "8.30");
    }

    private static WrongLock stagesOfAClientShareOneThread() {
        return spoilt(
                "stagesOfAClientShareOneThread",
                () -> {
                    ThreadPoolExecutor thread = new ThreadPoolExecutor(
                            1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), WrongStages::daemon);
                    thread.allowCoreThreadTimeOut(true);
                    return lock -> new SpoiltStages(lock, (correct, call) -> {
                        CompletableFuture<Object> stage = new CompletableFuture<>();
                        call.get()
                                .whenCompleteAsync(
                                        (result, failure) -> SpoiltStages.complete(stage, result, failure), thread);
                        return stage;
                    });
                },
                "8.34",
                "8.35",
                "16.6",
                "16.7");
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "all stages");
        thread.setDaemon(true);
        return thread;
    }

    private static WrongLock aThreadThatKeepsTheJvmAliveCarriesAStage() {
        return SpoiltStages.atTheEnd(
                "aThreadThatKeepsTheJvmAliveCarriesAStage",
                (stage, result, failure) -> {
                    Thread thread = new Thread(() -> SpoiltStages.complete(stage, result, failure), "one stage");
                    thread.setDaemon(false);
                    thread.start();
                },
                "8.34",
                "8.35");
    }

    private static List<WrongLock> timed() {
        return List.of(
                spoiltTime("aTimedStageGivesUpEarly", wait -> wait.dividedBy(2), "8.31"),
                spoiltTime("aTimedStageKnowsNoTime", wait -> Duration.ofHours(1), "8.31"),
                spoiltTime(
                        "aTimedStageTakesNoTimeForEver",
                        wait -> wait.isZero() || wait.isNegative() ? Duration.ofHours(1) : wait,
                        "8.31"),
                spoiltTime("aTimedStageTriesOnce", wait -> Duration.ZERO, "8.26", "8.28", "8.31", "8.32"),
                spoiltTime(
                        "aTimedStageOverflows",
                        wait -> wait.getSeconds() + TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()) < 0
                                ? Duration.ZERO
                                : wait,
                        "8.32"),
                aTimedStageFailsWhenItsTimeIsOver(),
                aTimedStageTakesNoTimeForFailure(),
                spoilt("aMissingTimeFailsTheStage", () -> MissingTimeFails::new, "8.33"));
    }

    private static WrongLock spoiltTime(String name, UnaryOperator<Duration> spoiler, String... breaks) {
        return spoilt(
                name,
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
                        return super.tryAcquireAsync(spoiler.apply(wait));
                    }
                },
                breaks);
    }

    private static WrongLock aTimedStageFailsWhenItsTimeIsOver() {
        return SpoiltStages.atTheEnd(
                "aTimedStageFailsWhenItsTimeIsOver",
                (stage, result, failure) -> SpoiltStages.complete(
                        stage, result, Optional.empty().equals(result) ? new TimeoutException() : failure),
                "8.31");
    }

    private static WrongLock aTimedStageTakesNoTimeForFailure() {
        return spoilt(
                "aTimedStageTakesNoTimeForFailure",
                () -> lock -> new ForwardingLock(lock) {
                    @Override
                    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
                        return wait.isZero() || wait.isNegative()
                                ? CompletableFuture.completedFuture(Optional.empty())
                                : super.tryAcquireAsync(wait);
                    }
                },
                "8.32");
    }

    private static final class MissingTimeFails extends ForwardingLock {
        MissingTimeFails(DistributedLock correct) {
            super(correct);
        }

        @Override
        public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
            return wait == null
                    ? CompletableFuture.failedFuture(new NullPointerException("wait"))
                    : super.tryAcquireAsync(wait);
        }
    }
}
