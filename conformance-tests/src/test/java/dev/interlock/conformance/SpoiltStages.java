// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.DistributedLock;
import dev.interlock.LockHandle;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Passes everything on, and asynchronous acquisitions through something that spoils the call or the stage. */
final class SpoiltStages extends ForwardingLock {
    /** Makes the call to the correct lock, or does not, and answers instead of it. */
    interface Spoiler {
        CompletionStage<Object> spoil(DistributedLock correct, Supplier<CompletableFuture<Object>> call);
    }

    private final Spoiler spoiler;

    SpoiltStages(DistributedLock correct, Spoiler spoiler) {
        super(correct);
        this.spoiler = spoiler;
    }

    /** A lock that is wrong in what it does with its stages; all locks of all factories have the same spoiler. */
    static WrongLock lock(String name, Spoiler spoiler, String... breaks) {
        return WrongTimedWaits.spoilt(name, () -> lock -> new SpoiltStages(lock, spoiler), breaks);
    }

    /** A lock that does with the end of an acquisition what it likes; to end its stage gives the place up. */
    static WrongLock atTheEnd(String name, End end, String... breaks) {
        return lock(name, (correct, call) -> completed(call.get(), end), breaks);
    }

    /** Completes a stage, or does not, for a result or a failure. */
    interface End {
        void of(CompletableFuture<Object> stage, Object result, Throwable failure);
    }

    private static CompletableFuture<Object> completed(CompletableFuture<Object> correct, End end) {
        CompletableFuture<Object> spoilt = new CompletableFuture<>();
        correct.whenComplete((result, failure) -> end.of(spoilt, result, failure));
        spoilt.whenComplete((result, failure) -> correct.cancel(true));
        return spoilt;
    }

    /** Ends a stage rightly. */
    static void complete(CompletableFuture<Object> stage, Object result, Throwable failure) {
        if (failure != null) {
            stage.completeExceptionally(failure);
        } else if (!stage.complete(result)) {
            handle(result).ifPresent(LockHandle::close);
        }
    }

    /** The handle that an acquisition of either kind ended with. */
    static Optional<LockHandle> handle(Object result) {
        return result instanceof LockHandle handle
                ? Optional.of(handle)
                : ((Optional<?>) result).map(LockHandle.class::cast);
    }

    @Override
    public CompletionStage<LockHandle> acquireAsync() {
        return cast(spoiler.spoil(correct, () -> future(correct.acquireAsync())));
    }

    @Override
    public CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return cast(spoiler.spoil(correct, () -> future(correct.tryAcquireAsync(wait))));
    }

    /** A future of a kind of its own that ends as another one does, which it gives up when it is ended. */
    static <F extends CompletableFuture<Object>> F following(CompletableFuture<Object> correct, F follower) {
        BiConsumer<Object, Throwable> complete = (result, failure) -> complete(follower, result, failure);
        correct.whenComplete(complete);
        follower.whenComplete((result, failure) -> correct.cancel(true));
        return follower;
    }

    private static CompletableFuture<Object> future(CompletionStage<?> stage) {
        CompletionStage<Object> ofAnything = cast(stage);
        return ofAnything.toCompletableFuture();
    }

    @SuppressWarnings("unchecked")
    private static <T> CompletionStage<T> cast(CompletionStage<?> stage) {
        return (CompletionStage<T>) stage;
    }
}
