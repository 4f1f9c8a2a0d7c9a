// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import dev.interlock.LockBackendException;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a Redis server, over which commands are sent without waiting for their replies.
 *
 * <p>The server carries commands out in the order in which they were sent. The connection is never opened again: once
 * it has ended, every command fails. Implementations are safe to use from any thread, and no method blocks.
 *
 * @see RedisNode#openLink
 */
public interface RedisLink extends AutoCloseable {
    /** The outcome of a command. */
    sealed interface Reply {
        /**
         * The server's answer.
         *
         * @param value {@code null}, {@link Long}, {@link String}, or a {@link java.util.List} of these
         */
        record Value(@Nullable Object value) implements Reply {}

        /**
         * There is no answer, or it is an error; the reason tells whether the command was carried out, as for
         * {@link RedisNode}.
         *
         * @param cause what went wrong
         * @param isFromServer whether the server said so itself, and would say the same over another connection: it has
         *     no memory, or its disk is full
         */
        record Failed(LockBackendException cause, boolean isFromServer) implements Reply {
            /**
             * Creates the reply.
             *
             * @param cause what went wrong
             * @param isFromServer whether another connection would do no better
             */
            public Failed {
                Objects.requireNonNull(cause, "cause");
            }

            /**
             * Creates the reply where there was no answer, or nobody needs to know.
             *
             * @param cause what went wrong
             */
            public Failed(LockBackendException cause) {
                this(cause, false);
            }
        }
    }

    /** A command that was sent. */
    interface Sent {
        /**
         * Forbids that the script is sent in full from now on, so that it cannot overtake a later command. A server
         * that does not know it is sent it without a call ({@code SCRIPT LOAD}), so that it knows it the next time. Has
         * no effect if it was sent in full already, or has been answered.
         */
        void doNotRepeat();
    }

    /**
     * Sends a command, or queues it behind earlier commands for the next {@link #flush}. If the server does not know
     * the script, the script is sent once more in full, behind the commands that were sent meanwhile.
     *
     * @param command the command
     * @param onReply called with the outcome, exactly once, perhaps before this method returns; must not block
     * @return the command on its way
     */
    Sent send(RedisCommand command, Consumer<Reply> onReply);

    /**
     * Writes the queued commands, or leaves that to another thread that is about to do it. Commands that a reply
     * listener of this connection sends are written at the latest when the listener has returned.
     */
    default void flush() {}

    /**
     * Reads replies on the current thread, so that no other thread needs to wake it. Does nothing if the client library
     * reads by itself, if another thread is reading, or if the server has been slow recently.
     *
     * @param enough tells when to stop; is asked after each reply
     * @return whether there is enough, or nothing more to come; if not, {@link #readInBackground} has the replies read
     */
    default boolean readReplies(BooleanSupplier enough) {
        return false;
    }

    /**
     * Flushes as {@link #flush} does, and makes a thread of the connection read replies until none is outstanding.
     * Returns without waiting for that.
     */
    default void readInBackground() {}

    /**
     * Tells whether the connection was open when it was last used.
     *
     * @return {@code false} if it has ended
     */
    boolean isOpen();

    /**
     * Ends the connection; commands that are not answered yet fail with an unknown outcome. Has no effect if called
     * again.
     */
    @Override
    void close();

    /**
     * Closes the connection as {@link #close} does, and discards undelivered bytes as far as the implementation can, so
     * that they do not reach the server after commands of a later connection.
     */
    default void abort() {
        close();
    }
}
