// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks several servers the same question in parallel, so that a silent server does not use up the time of the others.
 *
 * @param <T> what they answer
 */
final class ParallelPoll<T> {
    private final List<T> answers = new ArrayList<>();
    private final List<LockBackendException> failures = new ArrayList<>();

    private ParallelPoll() {}

    /**
     * Asks the servers. Returns when all have answered or failed, when the deadline has passed, or a grace period after
     * the first answer.
     *
     * @param question asks one server; blocks until the deadline at most
     * @param grace how long the others have after the first answer
     */
    static <S, T> ParallelPoll<T> of(
            Environment env, List<S> servers, Function<S, T> question, Deadline deadline, Duration grace) {
        CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
        List<CompletableFuture<T>> asked = new ArrayList<>(servers.size());
        for (S server : servers) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            answer.thenRun(() -> first.complete(null));
            asked.add(answer);
            ask(env, () -> question.apply(server), answer);
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
        Waiting.until(env, CompletableFuture.anyOf(first, all.handle((done, failure) -> "all")), deadline);
        Waiting.until(env, all, deadline.sooner(grace, 1));
        ParallelPoll<T> poll = new ParallelPoll<>();
        asked.stream().filter(CompletableFuture::isDone).forEach(poll::count);
        return poll;
    }

    private static <T> void ask(Environment env, Supplier<T> question, CompletableFuture<T> answer) {
        try {
            env.newThread("interlock-primary-poll", () -> {
                        try {
                            answer.complete(question.get());
                        } catch (Throwable e) {
                            answer.completeExceptionally(e);
                        }
                    })
                    .start();
        } catch (Throwable e) {
            answer.completeExceptionally(e);
        }
    }

    private void count(CompletableFuture<T> answer) {
        try {
            answers.add(answer.join());
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            failures.add(
                    cause instanceof LockBackendException failure
                            ? failure
                            : new LockBackendException(
                                    Reason.UNREACHABLE, "a server could not be asked: " + cause, cause));
        }
    }

    /** Returns the answers in the order of the servers. */
    List<T> answers() {
        return answers;
    }

    /** Returns the most informative failure; empty if the servers without an answer were silent. */
    @Nullable
    LockBackendException failure() {
        return failures.stream()
                .filter(failure -> failure.reason() == Reason.REFUSED)
                .findFirst()
                .orElse(failures.isEmpty() ? null : failures.get(0));
    }
}
