// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.stages;

import dev.interlock.DistributedLock;
import dev.interlock.LockHandle;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.wrong.WrongTimedWaits;
import dev.interlock.specimens.ForwardingLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Passes all calls on. Asynchronous acquisitions go through a {@link Spoiler}, which breaks the call or its stage. */
public final class SpoiltStages extends ForwardingLock {
    /** Answers instead of the correct lock, which it may call. */
    public interface Spoiler {
        CompletionStage<Object> spoil(DistributedLock correct, Supplier<CompletableFuture<Object>> call);
    }

    private final Spoiler spoiler;

    public SpoiltStages(DistributedLock correct, Spoiler spoiler) {
        super(correct);
        this.spoiler = spoiler;
    }

    /** A lock with wrong stages. All locks of all factories share the spoiler. */
    static WrongLock lock(String name, Spoiler spoiler, String... breaks) {
        return WrongTimedWaits.spoilt(name, () -> lock -> new SpoiltStages(lock, spoiler), breaks);
    }

    /** A lock that completes its stages in its own way. Ending such a stage gives up its place. */
    static WrongLock atTheEnd(String name, End end, String... breaks) {
        return lock(name, (correct, call) -> completed(call.get(), end), breaks);
    }

    /** Decides how a stage completes, given the result or the failure of the acquisition. */
    interface End {
        void of(CompletableFuture<Object> stage, Object result, Throwable failure);
    }

    private static CompletableFuture<Object> completed(CompletableFuture<Object> correct, End end) {
        CompletableFuture<Object> spoilt = new CompletableFuture<>();
        correct.whenComplete((result, failure) -> end.of(spoilt, result, failure));
        spoilt.whenComplete((result, failure) -> correct.cancel(true));
        return spoilt;
    }

    /** Completes a stage correctly. */
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

    /**
     * A future of the given kind that completes as another one does, and cancels that one when it is completed first.
     */
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
