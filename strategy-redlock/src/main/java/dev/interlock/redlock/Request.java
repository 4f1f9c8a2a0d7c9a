// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Something that one server is to do, until it has answered. What is not final is guarded by the lock of the {@link NodeLine}. */
final class Request implements BooleanSupplier {
    /** How often a request is sent again since the birth record had changed. */
    private static final int MAX_REPETITIONS = 3;

    final Wording wording;
    final Kind kind;
    final Settings.Patience patience;

    private final Consumer<Answer> onAnswer;
    private final AtomicBoolean answered = new AtomicBoolean();

    volatile RedisLink.@Nullable Sent sent;
    boolean repeated;
    private int repetitions;

    /** Whether it must not be sent any more. */
    boolean givenUp;

    /** Whether it must not be sent a second time, in whatever form. */
    boolean decided;

    private volatile long lateNanos;
    private volatile boolean waiting = true;

    /** The outcome of asking one server. */
    sealed interface Answer {
        /** It answered, over a connection to one process, and not by an error. */
        record Said(Object value, Session from) implements Answer {}

        /** It did not; the reason of the cause tells whether it may have done what it was asked. */
        record Failed(NodeReport.Vote vote, LockBackendException cause) implements Answer {}
    }

    /** What is asked, which decides when a server may answer. */
    enum Kind {
        /** For a lock: only a server that remembers all leases may grant it. */
        VOTE,
        /** For longer leases: whatever a server still has, it has not forgotten. */
        RENEWAL,
        /** For a value, which may be nil, so that the answer is an {@link java.util.Optional}. */
        READ,
        /** For something that it can do at all times. */
        OTHER
    }

    /** Makes the command that is sent. */
    interface Wording {
        /**
         * Makes the command.
         *
         * @param recordId the state of the birth record for which it is meant, or an empty text
         */
        RedisCommand command(String recordId);
    }

    Request(Wording wording, Kind kind, Settings.Patience patience, Consumer<Answer> onAnswer) {
        this.wording = wording;
        this.kind = kind;
        this.patience = patience;
        this.onAnswer = onAnswer;
    }

    /** Hands the answer on, if it is the first. */
    void answer(Answer answer) {
        if (!answered.getAndSet(true)) {
            onAnswer.accept(answer);
        }
    }

    /** Whether there is an answer. */
    @Override
    public boolean getAsBoolean() {
        return answered.get();
    }

    /** Counts a repetition, and returns whether it is allowed. */
    boolean mayRepeat() {
        return ++repetitions <= MAX_REPETITIONS;
    }

    /** When not to wait for the answer any more. */
    long lateNanos() {
        return lateNanos;
    }

    /** Whether it is still to be sent, and may be late sooner than is known now: as long after that as the server has to answer. */
    boolean isWaiting() {
        return waiting;
    }

    /** Notes that it waits to be sent, at most until some moment. */
    void noteWaiting(long untilNanos) {
        waiting = true;
        lateNanos = untilNanos;
    }

    /** Notes that it is sent. */
    void noteSent(long nowNanos) {
        lateNanos = nowNanos + patience.answerNanos();
        waiting = false;
    }
}
