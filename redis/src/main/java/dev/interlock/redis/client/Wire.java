// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client library's connections to one server, as {@link ClientNode} needs them. */
public interface Wire extends AutoCloseable {
    /** The purpose of a line. */
    enum Use {
        /** Independent commands. */
        SHARED,
        /** Independent commands, ahead of calls that wait for a line. */
        URGENT,
        /** Commands that no other caller's may come between. */
        EXCLUSIVE,
        /** The same, ahead of calls that wait for a line. */
        URGENT_EXCLUSIVE;

        public boolean isExclusive() {
            return this == EXCLUSIVE || this == URGENT_EXCLUSIVE;
        }
    }

    /**
     * Carries out a call that uses lines, on a thread whose interrupts do not close them.
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
     * Opens a separate connection, and returns once the server has answered on it.
     *
     * @throws dev.interlock.LockBackendException if there is none by the deadline
     * @throws UnsupportedOperationException if the client library can only wait for each reply
     */
    RedisLink openLink(Deadline deadline);

    /**
     * Returns the shared state of the server; {@code null} if the connections belong to a client that was handed in.
     */
    default @Nullable ServerAccess access() {
        return null;
    }

    /** Closes the connections that were opened. */
    @Override
    void close();

    /** A connection while a call uses it, which ends with {@link #release}, {@link #retire}, or an exception. */
    interface Line {
        /**
         * Sends commands, one right after the other, and waits for all replies.
         *
         * @param undo what to send behind the commands if their replies are late, in full and without waiting; may be
         *     empty
         * @return the replies: {@code null}, {@link Long}, {@link String}, {@link List} of these, or
         *     {@link ServerError}
         * @throws NotSentException if the last command has certainly not left in full
         * @throws dev.interlock.LockBackendException if a reply is missing
         */
        List<@Nullable Object> exchange(List<RedisCommand> commands, List<RedisCommand> undo, Deadline deadline)
                throws NotSentException;

        /** Returns the time since the server last answered on this connection; zero if it is not known. */
        long silentNanos();

        /** Gives the connection back. */
        void release();

        /** Gives up this connection and all others to the same server process: later calls use new ones. */
        void retire();
    }
}
