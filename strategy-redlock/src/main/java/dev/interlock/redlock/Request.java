// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Something that one server is to do, until it has answered. What is not final is guarded by the lock of the {@link Member}. */
final class Request {
    final RedisCommand command;

    /** Whether the answer may be a vote for a holder, which not every server may give at all times. */
    final boolean vote;

    /** Whether the answer may be nil, so that it is an {@link java.util.Optional}. */
    final boolean read;

    final Settings.Patience patience;

    private final Consumer<Answer> onAnswer;
    private final Runnable onSent;
    private final AtomicBoolean answered = new AtomicBoolean();

    volatile RedisLink.@Nullable Sent sent;
    boolean repeated;

    /** Whether it must not be sent any more. */
    boolean givenUp;

    /** Whether it must not be sent a second time, in whatever form. */
    boolean decided;

    private volatile long lateNanos;

    Request(
            RedisCommand command,
            boolean vote,
            boolean read,
            Settings.Patience patience,
            Consumer<Answer> onAnswer,
            Runnable onSent) {
        this.command = command;
        this.vote = vote;
        this.read = read;
        this.patience = patience;
        this.onAnswer = onAnswer;
        this.onSent = onSent;
    }

    /** Hands the answer on, if it is the first. */
    void answer(Answer answer) {
        if (!answered.getAndSet(true)) {
            onAnswer.accept(answer);
        }
    }

    /** Whether it has left. */
    boolean wasSent() {
        return sent != null;
    }

    /** When not to wait for the answer any more. */
    long lateNanos() {
        return lateNanos;
    }

    void lateNanos(long nanoTime) {
        lateNanos = nanoTime;
    }

    /** Says that it is on its way, and late at another time than was thought. */
    void tellSent() {
        onSent.run();
    }
}
