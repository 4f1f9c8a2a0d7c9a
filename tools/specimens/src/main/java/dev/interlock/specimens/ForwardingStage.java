// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Completes as a correct stage does, with a broken result. If it is completed otherwise before, the correct stage is
 * completed first, which gives its place up: the dependents of this one may block.
 */
final class ForwardingStage<T> extends CompletableFuture<T> {
    private final CompletableFuture<T> correct;
    private final AtomicBoolean ended = new AtomicBoolean();

    private ForwardingStage(CompletableFuture<T> correct) {
        this.correct = correct;
    }

    /**
     * @param spoil makes the broken result of a correct one
     * @param giveBack takes a correct result that nobody waits for any more
     */
    static <T> ForwardingStage<T> of(CompletionStage<T> correct, UnaryOperator<T> spoil, Consumer<T> giveBack) {
        ForwardingStage<T> stage = new ForwardingStage<>(correct.toCompletableFuture());
        stage.correct.whenComplete((result, failure) -> {
            boolean wanted = stage.end();
            if (failure != null) {
                if (wanted) {
                    stage.completeExceptionally(failure);
                }
            } else if (!wanted || !stage.complete(spoil.apply(result))) {
                giveBack.accept(result);
            }
        });
        return stage;
    }

    private boolean end() {
        return ended.compareAndSet(false, true);
    }

    private void giveUp() {
        if (end()) {
            correct.cancel(true);
        }
    }

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
}
