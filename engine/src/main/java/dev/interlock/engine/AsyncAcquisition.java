// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockHandle;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition for a caller who does not wait: a thread of its own acquires the lock and completes a future. That thread does
 * nothing else, so dependents of the future may block it. Used once.
 *
 * @param <T> the result
 */
final class AsyncAcquisition<T> {
    private static final QuietLog LOG = QuietLog.of(AsyncAcquisition.class);

    /** An acquisition that waits. */
    private interface Blocking<T> {
        T acquire() throws InterruptedException;
    }

    /** A lock whose handles name the place where they were asked for: the thread that acquires them was not there. */
    interface Target {
        LockHandle acquireFrom(@Nullable String place) throws InterruptedException;

        Optional<LockHandle> tryAcquireFrom(@Nullable String place, Duration wait) throws InterruptedException;
    }

    private final Blocking<T> acquisition;
    private final Consumer<T> giveBack;
    private final CompletableFuture<T> future = new CompletableFuture<>();

    /** Whether the acquisition has ended, so that there is nobody to interrupt. */
    private volatile boolean ended;

    private AsyncAcquisition(Blocking<T> acquisition, Consumer<T> giveBack) {
        this.acquisition = acquisition;
        this.giveBack = giveBack;
    }

    static CompletableFuture<LockHandle> acquire(Environment env, String threadName, Target lock) {
        String place = Drops.caller();
        return new AsyncAcquisition<>(() -> lock.acquireFrom(place), LockHandle::close).start(env, threadName);
    }

    static CompletableFuture<Optional<LockHandle>> tryAcquire(
            Environment env, String threadName, Target lock, Duration wait) {
        String place = Drops.caller();
        long since = env.nanoTime();
        return new AsyncAcquisition<>(
                        () -> lock.tryAcquireFrom(place, left(wait, env.nanoTime() - since)),
                        lease -> lease.ifPresent(LockHandle::close))
                .start(env, threadName);
    }

    private static Duration left(Duration wait, long passedNanos) {
        return wait.isNegative() ? wait : wait.minusNanos(passedNanos);
    }

    private CompletableFuture<T> start(Environment env, String threadName) {
        try {
            Thread thread = env.newWaitingThread(threadName, this::run);
            // Whoever else completes the future, by cancelling it or otherwise, does not want the lock any more.
            future.whenComplete((result, failure) -> {
                if (!ended) {
                    thread.interrupt();
                }
            });
            thread.start();
        } catch (Throwable e) {
            ended = true;
            future.completeExceptionally(e);
        }
        return future;
    }

    private void run() {
        while (!future.isDone()) {
            T result;
            try {
                result = acquisition.acquire();
            } catch (InterruptedException e) {
                // The future is done; an interrupt of anybody else's is not meant for the one who asked, and changes
                // nothing.
                continue;
            } catch (Throwable e) {
                ended = true;
                future.completeExceptionally(e);
                return;
            }
            ended = true;
            if (!future.complete(result)) {
                giveBackUnwanted(result);
            }
        }
    }

    private void giveBackUnwanted(T result) {
        try {
            giveBack.accept(result);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a lock that nobody waits for any more could not be given back", e);
        }
    }
}
