// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to one server, until it is answered. The lock of the {@link NodeLine} guards the fields that are not final.
 */
final class Request implements BooleanSupplier {
    /** How often a request is sent again because the birth record had changed. */
    private static final int MAX_REPETITIONS = 3;

    final Wording wording;
    final Kind kind;
    final Settings.Patience patience;

    private final Consumer<Answer> onAnswer;
    private final AtomicBoolean answered = new AtomicBoolean();

    volatile RedisLink.@Nullable Sent sent;
    boolean repeated;
    private int repetitions;

    /** Whether the request must not be sent any more. */
    boolean givenUp;

    /** Whether the request must not be sent a second time, in any form. */
    boolean decided;

    private volatile long lateNanos;
    private volatile boolean waiting = true;

    /** The outcome of asking one server. */
    sealed interface Answer {
        /** The server answered, and not with an error. */
        record Said(Object value, Session from) implements Answer {}

        /**
         * The server did not answer, or answered with an error; the reason of the cause tells whether it may have
         * executed the request.
         *
         * @param isFromServer whether the server answered with an error
         */
        record Failed(NodeReport.Vote vote, LockBackendException cause, boolean isFromServer) implements Answer {
            Failed(NodeReport.Vote vote, LockBackendException cause) {
                this(vote, cause, false);
            }
        }
    }

    /** The kind of a request, which decides when a server may answer it. */
    enum Kind {
        /** Acquires a lock: only a server that remembers all leases may grant it. */
        VOTE,
        /** Renews leases: a lease that a server still has, it has not forgotten. */
        RENEWAL,
        /** Reads a value, which may be nil; the answer is an {@link java.util.Optional}. */
        READ,
        /**
         * Gives leases back: no request that is sent after it over the same connection may be carried out before it. A
         * release that cannot be sent at once is sent after the requests that wait by then.
         */
        RELEASE,
        /** Any other request, which a server may answer at all times. */
        OTHER
    }

    /** Makes the command that is sent. */
    interface Wording {
        /**
         * Makes the command.
         *
         * @param recordId the state of the birth record for which the command is meant, or an empty text
         */
        RedisCommand command(String recordId);
    }

    Request(Wording wording, Kind kind, Settings.Patience patience, Consumer<Answer> onAnswer) {
        this.wording = wording;
        this.kind = kind;
        this.patience = patience;
        this.onAnswer = onAnswer;
    }

    /** Passes the answer on, if it is the first. */
    void answer(Answer answer) {
        if (!answered.getAndSet(true)) {
            onAnswer.accept(answer);
        }
    }

    /** Returns whether there is an answer. */
    @Override
    public boolean getAsBoolean() {
        return answered.get();
    }

    /** Counts a repetition, and returns whether it is allowed. */
    boolean mayRepeat() {
        return ++repetitions <= MAX_REPETITIONS;
    }

    /** The time after which nobody waits for the answer. */
    long lateNanos() {
        return lateNanos;
    }

    /**
     * Returns whether the request is still waiting to be sent. Its deadline may then become earlier, since the server's
     * time to answer counts from the sending.
     */
    boolean isWaiting() {
        return waiting;
    }

    /** Notes that the request waits to be sent, at most until the given moment. */
    void noteWaiting(long untilNanos) {
        waiting = true;
        lateNanos = untilNanos;
    }

    /** Notes that the request was sent. */
    void noteSent(long nowNanos) {
        lateNanos = nowNanos + patience.answerNanos();
        waiting = false;
    }
}
