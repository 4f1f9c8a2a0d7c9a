// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.LockHandle;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition for a caller who does not wait: a thread of its own acquires the lock and completes a future. That
 * thread does nothing else, so dependents of the future may block it. Used once.
 *
 * @param <T> the result
 */
public final class AsyncAcquisition<T> {
    private static final QuietLog LOG = QuietLog.of(AsyncAcquisition.class);

    /** An acquisition that waits. */
    private interface Blocking<T> {
        T acquire() throws InterruptedException;
    }

    /** A lock whose handles name the place where they were asked for: the thread that acquires them was not there. */
    public interface Target {
        LockHandle acquireFrom(@Nullable String place) throws InterruptedException;

        Optional<LockHandle> tryAcquireFrom(@Nullable String place, Duration wait) throws InterruptedException;
    }

    private enum State {
        /** The thread acquires the lock, and is to be interrupted by whoever does not want it any more. */
        WAITING,
        /** Nobody wants the lock any more. */
        UNWANTED,
        /** The acquisition has ended, and the thread is not to be interrupted. */
        ENDED
    }

    private final Blocking<T> acquisition;
    private final Consumer<T> giveBack;
    private final Stage future = new Stage();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private @Nullable Thread thread;

    /**
     * The stage that the caller gets. Completing it gives the place in the queue up before the dependents run: these
     * may block, and a dependent that was added first runs last.
     */
    private final class Stage extends CompletableFuture<T> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            giveUp();
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public boolean complete(T value) {
            giveUp();
            return super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            giveUp();
            return super.completeExceptionally(failure);
        }

        @Override
        public void obtrudeValue(T value) {
            giveUp();
            super.obtrudeValue(value);
        }

        @Override
        public void obtrudeException(Throwable failure) {
            giveUp();
            super.obtrudeException(failure);
        }
    }

    private AsyncAcquisition(Blocking<T> acquisition, Consumer<T> giveBack) {
        this.acquisition = acquisition;
        this.giveBack = giveBack;
    }

    /**
     * Acquires a lock, however long that takes.
     *
     * @param place where in the program the lock was asked for
     */
    public static CompletableFuture<LockHandle> acquire(Environment env, String threadName, Target lock, String place) {
        return new AsyncAcquisition<>(() -> lock.acquireFrom(place), LockHandle::close).start(env, threadName);
    }

    /**
     * Acquires a lock if it is free in time.
     *
     * @param place where in the program the lock was asked for
     */
    public static CompletableFuture<Optional<LockHandle>> tryAcquire(
            Environment env, String threadName, Target lock, Duration wait, String place) {
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
            Thread made = env.newWaitingThread(threadName, this::run);
            thread = made;
            // Covers completions that do not go through the methods of the stage, such as completeAsync.
            future.whenComplete((result, failure) -> giveUp());
            made.start();
        } catch (Throwable e) {
            state.set(State.ENDED);
            future.completeExceptionally(e);
        }
        return future;
    }

    private void giveUp() {
        Thread waiting = thread;
        if (state.compareAndSet(State.WAITING, State.UNWANTED) && waiting != null) {
            waiting.interrupt();
        }
    }

    /** Ends the acquisition; returns {@code false} if nobody wants the lock any more. */
    private boolean end() {
        return state.compareAndSet(State.WAITING, State.ENDED);
    }

    private void run() {
        while (state.get() == State.WAITING) {
            T result;
            try {
                result = acquisition.acquire();
            } catch (InterruptedException e) {
                // Goes on unless the interrupt came from giveUp(), which has changed the state: no other interrupt ends
                // the acquisition.
                continue;
            } catch (Throwable e) {
                if (end()) {
                    future.completeExceptionally(e);
                }
                return;
            }
            if (!end() || !future.complete(result)) {
                giveBackUnwanted(result);
            }
            return;
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
