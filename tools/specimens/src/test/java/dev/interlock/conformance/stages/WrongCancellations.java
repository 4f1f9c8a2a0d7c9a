// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.stages;

import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.conformance.memory.WrongLock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;

/** Locks whose asynchronous acquisitions end wrongly when they are cancelled or fail. */
public final class WrongCancellations {
    private WrongCancellations() {}

    public static List<WrongLock> locks() {
        return List.of(
                aCancelledStageTakesTheLockAllTheSame(),
                onlyCancelGivesAPlaceUp(),
                SpoiltStages.lock(
                        "cancellingACompleteStageClosesItsHandle",
                        (correct, call) -> SpoiltStages.following(call.get(), new ClosesAtCancel()),
                        "8.37"),
                SpoiltStages.lock(
                        "cancellingADependentEndsTheStage",
                        (correct, call) -> SpoiltStages.following(call.get(), new EndsWithDependents()),
                        "8.38"),
                SpoiltStages.lock(
                        "cancelSaysThatItCameInTime",
                        (correct, call) -> SpoiltStages.following(call.get(), new AlwaysCancelled()),
                        "8.37",
                        "8.40"),
                anOutageEndsAStageEmpty(),
                aStageNeverHearsOfAnOutage(),
                aStageNeverHearsOfAClose(),
                closeEndsAStageEmpty());
    }

    private static WrongLock aCancelledStageTakesTheLockAllTheSame() {
        return SpoiltStages.lock(
                "aCancelledStageTakesTheLockAllTheSame",
                (correct, call) -> call.get().thenApply(result -> result),
                "16.15",
                "8.36",
                "8.39",
                "8.40");
    }

    private static WrongLock onlyCancelGivesAPlaceUp() {
        return SpoiltStages.lock(
                "onlyCancelGivesAPlaceUp",
                (correct, call) -> {
                    CompletableFuture<Object> acquisition = call.get();
                    CompletableFuture<Object> stage = acquisition.thenApply(result -> result);
                    stage.whenComplete((result, failure) -> {
                        if (stage.isCancelled()) {
                            acquisition.cancel(true);
                        }
                    });
                    return stage;
                },
                "8.36");
    }

    private static final class ClosesAtCancel extends CompletableFuture<Object> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            if (isDone() && !isCompletedExceptionally()) {
                SpoiltStages.handle(join()).ifPresent(LockHandle::close);
            }
            return super.cancel(mayInterruptIfRunning);
        }
    }

    private static final class EndsWithDependents extends CompletableFuture<Object> {
        @Override
        public <U> CompletableFuture<U> thenApply(Function<? super Object, ? extends U> change) {
            return ending(super.thenApply(change));
        }

        @Override
        public CompletableFuture<Void> thenAccept(Consumer<? super Object> action) {
            return ending(super.thenAccept(action));
        }

        private <U> CompletableFuture<U> ending(CompletableFuture<U> dependent) {
            dependent.whenComplete((result, failure) -> {
                if (dependent.isCancelled()) {
                    cancel(true);
                }
            });
            return dependent;
        }
    }

    private static final class AlwaysCancelled extends CompletableFuture<Object> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            // Lets a grant come first that is on its way.
            for (int i = 0; i < 50 && !isDone(); i++) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            super.cancel(mayInterruptIfRunning);
            return true;
        }
    }

    private static WrongLock anOutageEndsAStageEmpty() {
        return SpoiltStages.atTheEnd(
                "anOutageEndsAStageEmpty",
                (stage, result, failure) -> {
                    if (failure instanceof LockBackendException) {
                        stage.complete(Optional.empty());
                    } else {
                        SpoiltStages.complete(stage, result, failure);
                    }
                },
                "9.31",
                "9.32");
    }

    private static WrongLock aStageNeverHearsOfAnOutage() {
        return SpoiltStages.atTheEnd(
                "aStageNeverHearsOfAnOutage",
                (stage, result, failure) -> {
                    if (!(failure instanceof LockBackendException)) {
                        SpoiltStages.complete(stage, result, failure);
                    }
                },
                "9.31",
                "9.32");
    }

    private static WrongLock aStageNeverHearsOfAClose() {
        return SpoiltStages.atTheEnd(
                "aStageNeverHearsOfAClose",
                (stage, result, failure) -> {
                    if (!(failure instanceof IllegalStateException)) {
                        SpoiltStages.complete(stage, result, failure);
                    }
                },
                "11.20",
                "16.9",
                "16.13");
    }

    private static WrongLock closeEndsAStageEmpty() {
        return SpoiltStages.atTheEnd(
                "closeEndsAStageEmpty",
                (stage, result, failure) -> {
                    if (failure instanceof IllegalStateException) {
                        stage.complete(Optional.empty());
                    } else {
                        SpoiltStages.complete(stage, result, failure);
                    }
                },
                "11.20");
    }
}
