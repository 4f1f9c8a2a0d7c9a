// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client library's connections to one server, as {@link ClientNode} needs them. */
public interface Wire extends AutoCloseable {
    /** What a line is for. */
    enum Use {
        /** Commands that need nothing of each other. */
        SHARED,
        /** The same, ahead of calls that wait for a line. */
        URGENT,
        /** Commands that nobody else's may come between. */
        EXCLUSIVE
    }

    /**
     * Carries out a call that uses lines, on a thread whose interrupts do not harm them.
     *
     * @throws dev.interlock.LockBackendException if the call throws it, or has not begun by the deadline and never will
     */
    <T extends @Nullable Object> T run(Use use, Supplier<T> call, Deadline deadline);

    /**
     * Finds or opens a connection.
     *
     * @throws dev.interlock.LockBackendException if there is none by the deadline
     */
    Line open(Use use, Deadline deadline);

    /**
     * Opens a connection that is not among those for calls, and on which the server has answered.
     *
     * @throws dev.interlock.LockBackendException if there is none by the deadline
     * @throws UnsupportedOperationException if the client library can only wait for each reply
     */
    RedisLink openLink(Deadline deadline);

    /** Returns what is known of the server; {@code null} if the connections are not of our making. */
    default @Nullable ServerAccess access() {
        return null;
    }

    /** Closes what was opened. */
    @Override
    void close();

    /** A connection while a call uses it, which ends with {@link #release}, {@link #retire}, or an exception. */
    interface Line {
        /**
         * Sends commands, one right after the other, and waits for all replies.
         *
         * @param undo what to send behind the commands if their replies are late, in full and without waiting; may be empty
         * @return the replies: {@code null}, {@link Long}, {@link String}, {@link List} of these, or {@link ServerError}
         * @throws NotSentException if the last command has certainly not left in full
         * @throws dev.interlock.LockBackendException if a reply is missing
         */
        List<@Nullable Object> exchange(List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline)
                throws NotSentException;

        /** How long ago the server last showed on this connection that it is there; zero if that is not known. */
        long silentNanos();

        /** Gives the connection back. */
        void release();

        /** Gives the connection up, and whatever else leads to the same server process: later calls use new ones. */
        void retire();
    }
}
