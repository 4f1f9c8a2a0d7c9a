// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.interlock.DistributedLock;
import dev.interlock.LockHandle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** The stage of an asynchronous acquisition. Methods that wait for its end wait at most {@link Scale#PATIENCE}. */
public final class PendingStage {
    /** A call that acquires the lock for a handle and does not wait. */
    public record Way(String what, Function<DistributedLock, CompletionStage<?>> call) {
        /** Makes an actor make the call, which must return whether or not the lock can be had. */
        public PendingStage by(Actor caller, DistributedLock lock) {
            return caller.call(what, () -> of(lock));
        }

        public PendingStage of(DistributedLock lock) {
            return new PendingStage(what, call.apply(lock).toCompletableFuture());
        }
    }

    public static final Way ACQUIRE = new Way("acquireAsync()", DistributedLock::acquireAsync);

    /** The calls whose stages wait for longer than any test takes. */
    public static final List<Way> WAYS = List.of(ACQUIRE, timed(Duration.ofHours(1)));

    private final String what;
    private final CompletableFuture<?> future;

    private PendingStage(String what, CompletableFuture<?> future) {
        this.what = what;
        this.future = future;
    }

    public static Way timed(Duration wait) {
        return new Way("tryAcquireAsync(" + wait + ")", lock -> lock.tryAcquireAsync(wait));
    }

    @Override
    public String toString() {
        return what;
    }

    public CompletableFuture<?> future() {
        return future;
    }

    public boolean isDone() {
        return future.isDone();
    }

    /** Waits for the stage to complete with a handle. */
    public LockHandle handle() {
        Object result = result();
        if (result instanceof LockHandle handle) {
            return handle;
        }
        Optional<?> handle = assertInstanceOf(Optional.class, result, () -> "what " + what + " completed with");
        assertTrue(handle.isPresent(), () -> what + " should have got the lock");
        return assertInstanceOf(LockHandle.class, handle.orElseThrow(), () -> "what " + what + " completed with");
    }

    /** Waits for the stage to complete without a handle. */
    public void assertEmpty() {
        if (!Optional.empty().equals(result())) {
            fail(what + " got the lock while somebody else held it");
        }
    }

    private Object result() {
        try {
            return await();
        } catch (ExecutionException e) {
            throw new AssertionError("the stage of " + what + " failed with " + e.getCause(), e.getCause());
        }
    }

    /** Waits for the stage to complete exceptionally. */
    public <X extends Throwable> X failure(Class<X> type) {
        Object result;
        try {
            result = await();
        } catch (ExecutionException e) {
            return assertInstanceOf(type, e.getCause(), () -> "what the stage of " + what + " failed with");
        }
        return fail("the stage of " + what + " should have failed with " + type.getSimpleName() + " and completed with "
                + result);
    }

    private Object await() throws ExecutionException {
        try {
            return future.get(Scale.PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("the stage of " + what + " has not completed in " + Scale.PATIENCE, e);
        } catch (InterruptedException e) {
            throw new AssertionError("the test itself was interrupted", e);
        }
    }
}
