// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.stages;

import static dev.interlock.conformance.wrong.WrongTimedWaits.spoilt;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLock;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Locks whose asynchronous acquisitions run on the wrong threads, or whose stages disturb each other. */
public final class WrongCarriers {
    private WrongCarriers() {}

    public static List<WrongLock> locks() {
        return List.of(
                SpoiltStages.lock("aStageThatWaitsBlocksAThread", (correct, call) -> blocking(call.get()), "16.1"),
                someStagesAreForgotten(),
                endingAStageEndsTheOthers(),
                SpoiltStages.lock(
                        "cancelAsksTheBackend",
                        (correct, call) -> SpoiltStages.following(call.get(), new AsksAtCancel(correct)),
                        "16.4"),
                aStageCompletesWithinAMonitor(),
                SpoiltStages.lock(
                        "aDependentThatThrowsFailsItsStage",
                        (correct, call) -> SpoiltStages.following(call.get(), new FailsWithDependents()),
                        "16.8"),
                SpoiltStages.atTheEnd(
                        "aStageInterruptsItsDependents",
                        (stage, result, failure) -> {
                            Thread.currentThread().interrupt();
                            SpoiltStages.complete(stage, result, failure);
                        },
                        "16.10"),
                stagesHaveThreadsOfTheirOwnMaking(),
                SpoiltStages.atTheEnd(
                        "dependentsOfAStageThatIsEndedRunBeforeItsPlaceIsGivenUp", SpoiltStages::complete, "16.16"),
                SpoiltStages.atTheEnd(
                        "theThreadOfAStageLingers",
                        (stage, result, failure) -> {
                            SpoiltStages.complete(stage, result, failure);
                            // Longer than the rule waits.
                            long until = System.nanoTime()
                                    + Scale.PATIENCE.multipliedBy(2).toNanos();
                            // A failure may be a cancellation, which is no reason to keep the thread of whoever
                            // cancels.
                            while (failure == null && System.nanoTime() - until < 0) {
                                LockSupport.parkNanos(until - System.nanoTime());
                            }
                        },
                        "16.12"));
    }

    /** Makes a platform thread wait for a stage. */
    public static CompletableFuture<Object> blocking(CompletableFuture<Object> correct) {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> correct.handle((result, failure) -> {
                            SpoiltStages.complete(stage, result, failure);
                            return true;
                        })
                        .join(),
                "waits for a stage");
        thread.setDaemon(true);
        thread.start();
        stage.whenComplete((result, failure) -> correct.cancel(true));
        return stage;
    }

    private static WrongLock someStagesAreForgotten() {
        return spoilt(
                "someStagesAreForgotten",
                () -> {
                    AtomicInteger number = new AtomicInteger();
                    return lock -> new SpoiltStages(
                            lock,
                            (correct, call) ->
                                    number.incrementAndGet() % 7 == 0 ? new CompletableFuture<>() : call.get());
                },
                "16.2");
    }

    private static WrongLock endingAStageEndsTheOthers() {
        return spoilt(
                "endingAStageEndsTheOthers",
                () -> {
                    Queue<CompletableFuture<Object>> all = new ConcurrentLinkedQueue<>();
                    return lock -> new SpoiltStages(lock, (correct, call) -> {
                        CompletableFuture<Object> stage = call.get();
                        all.add(stage);
                        stage.whenComplete((result, failure) -> {
                            if (stage.isCancelled()) {
                                all.forEach(other -> other.cancel(true));
                            }
                        });
                        return stage;
                    });
                },
                "16.3");
    }

    private static final class AsksAtCancel extends CompletableFuture<Object> {
        private final DistributedLock lock;

        AsksAtCancel(DistributedLock lock) {
            this.lock = lock;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return super.cancel(lock.isLocked());
        }
    }

    /** A thread that unlocks or closes has to enter the monitor in which stages complete. */
    private static WrongLock aStageCompletesWithinAMonitor() {
        return new WrongLock("aStageCompletesWithinAMonitor", "16.5", "16.9") {
            @Override
            protected DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                Object monitor = new Object();
                return new ForwardingFactory(correct) {
                    @Override
                    protected DistributedLock spoil(DistributedLock lock) {
                        return new WithinAMonitor(lock, monitor);
                    }

                    @Override
                    public void close() {
                        super.close();
                        synchronized (monitor) {
                            LockSupport.parkNanos(1);
                        }
                    }
                };
            }
        };
    }

    private static final class WithinAMonitor extends ForwardingLock {
        private final Object monitor;

        WithinAMonitor(DistributedLock correct, Object monitor) {
            super(correct);
            this.monitor = monitor;
        }

        @Override
        public void unlock() {
            synchronized (monitor) {
                super.unlock();
            }
        }

        @Override
        public CompletionStage<LockHandle> acquireAsync() {
            CompletableFuture<LockHandle> stage = new CompletableFuture<>();
            CompletionStage<LockHandle> acquisition = super.acquireAsync();
            acquisition.whenComplete((handle, failure) -> {
                synchronized (monitor) {
                    if (failure != null) {
                        stage.completeExceptionally(failure);
                    } else if (!stage.complete(handle)) {
                        handle.close();
                    }
                }
            });
            stage.whenComplete(
                    (handle, failure) -> acquisition.toCompletableFuture().cancel(true));
            return stage;
        }
    }

    private static final class FailsWithDependents extends CompletableFuture<Object> {
        @Override
        public CompletableFuture<Void> thenRun(Runnable action) {
            return super.thenRun(() -> {
                try {
                    action.run();
                } catch (RuntimeException e) {
                    obtrudeException(e);
                    throw e;
                }
            });
        }
    }

    private static WrongLock stagesHaveThreadsOfTheirOwnMaking() {
        return new WrongLock("stagesHaveThreadsOfTheirOwnMaking", "16.11", "16.12", "16.13") {
            @Override
            protected LockConfig config(LockConfig config) {
                return config.toBuilder()
                        .threadFactory(task -> {
                            Thread thread = new Thread(task, "made by the lock");
                            thread.setDaemon(true);
                            return thread;
                        })
                        .build();
            }
        };
    }
}
