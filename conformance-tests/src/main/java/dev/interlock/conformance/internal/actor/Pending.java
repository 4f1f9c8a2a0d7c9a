// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call that an {@link Actor} makes. Methods that wait for its end wait at most {@link Scale#PATIENCE}, unless they
 * are given another time.
 */
public final class Pending<T extends @Nullable Object> {
    private final Actor actor;
    private final String what;
    private final FutureTask<T> task;
    private volatile boolean begun;

    Pending(Actor actor, String what, Callable<T> call) {
        this.actor = actor;
        this.what = what;
        this.task = new FutureTask<>(() -> {
            begun = true;
            return call.call();
        });
    }

    FutureTask<T> task() {
        return task;
    }

    /** Returns whether the actor has begun this call. */
    public boolean hasBegun() {
        return begun;
    }

    public boolean isDone() {
        return task.isDone();
    }

    /** Returns whether the call has ended with an exception. */
    public boolean hasFailed() {
        return isDone() && outcome() != null;
    }

    /** Waits for the call's result. If the call throws, the test fails with that exception as the cause. */
    public T result() {
        return result(Scale.PATIENCE);
    }

    /** As {@link #result()}, for a call that may take longer than others. */
    public T result(Duration patience) {
        try {
            return await(patience);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            throw new AssertionError(what + " by " + actor.name() + " threw " + cause, cause);
        }
    }

    /** Waits for the call to throw an exception of a type. */
    public <X extends Throwable> X failure(Class<X> type) {
        T result;
        try {
            result = await(Scale.PATIENCE);
        } catch (ExecutionException e) {
            if (type.isInstance(e.getCause())) {
                return type.cast(e.getCause());
            }
            throw new AssertionError(
                    what + " by " + actor.name() + " should have thrown " + type.getSimpleName() + " and threw "
                            + e.getCause(),
                    e.getCause());
        }
        return fail(what + " by " + actor.name() + " should have thrown " + type.getSimpleName() + " and returned "
                + result);
    }

    /** Waits for the call's end, and returns what it threw, if anything. */
    @Nullable
    public Throwable outcome() {
        try {
            await(Scale.PATIENCE);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    private T await(Duration patience) throws ExecutionException {
        try {
            return task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            AssertionError failure = new AssertionError(
                    what + " by " + actor.name() + " has not ended in " + patience + "; its thread is at the cause");
            failure.initCause(actor.whereabouts());
            throw failure;
        } catch (InterruptedException e) {
            throw new AssertionError("the test itself was interrupted", e);
        }
    }
}
