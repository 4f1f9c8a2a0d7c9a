// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.LockHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Releases locks when stages complete. */
final class StageReleaser {
    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("interlock-release-");

    StageReleaser() {
        threads.setDaemon(true);
        threads.setVirtualThreads(Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS);
    }

    /**
     * Returns a stage that completes as another one does, after locks were released.
     *
     * @param stage the stage, or null if a method returned none
     * @param handles the locks, in the order in which they were acquired
     */
    @Nullable
    CompletionStage<?> releaseAfter(@Nullable CompletionStage<?> stage, List<LockHandle> handles) {
        if (stage == null) {
            Throwable loss = close(handles, null);
            return loss == null ? null : CompletableFuture.failedFuture(loss);
        }
        CompletableFuture<Object> released = new CompletableFuture<>();
        // A release waits for the server, and the thread that completes the stage may be one that must not block.
        Executor executor = stage instanceof CompletableFuture<?> future && future.isDone() ? Runnable::run : this::run;
        stage.whenCompleteAsync(
                (value, failure) -> {
                    Throwable outcome = close(handles, failure);
                    if (outcome == null) {
                        released.complete(value);
                    } else {
                        released.completeExceptionally(outcome);
                    }
                },
                executor);
        return released;
    }

    private void run(Runnable release) {
        try {
            threads.execute(release);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            release.run();
        }
    }

    /**
     * Closes handles, the last first.
     *
     * @param failure what the work failed with, or null
     * @return that failure, or else the failure of a release, or null if there is neither
     */
    static @Nullable Throwable close(List<LockHandle> handles, @Nullable Throwable failure) {
        Throwable outcome = failure;
        for (int i = handles.size() - 1; i >= 0; i--) {
            try {
                handles.get(i).close();
            } catch (RuntimeException | Error e) {
                if (outcome == null) {
                    outcome = e;
                } else {
                    outcome.addSuppressed(e);
                }
            }
        }
        return outcome;
    }
}
