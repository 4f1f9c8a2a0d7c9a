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
 * <p>The server carries commands out in the order in which they were sent. The connection is never opened again: once it has
 * ended, every command fails. Implementations are safe to use from any thread, and no method blocks.
 *
 * @see RedisNode#openLink
 */
public interface RedisLink extends AutoCloseable {
    /** What came of a command. */
    sealed interface Reply {
        /**
         * The server's answer.
         *
         * @param value {@code null}, {@link Long}, {@link String}, or a {@link java.util.List} of these
         */
        record Value(@Nullable Object value) implements Reply {}

        /**
         * There is no answer, or it is an error; the reason tells whether the command was carried out, as for {@link RedisNode}.
         *
         * @param cause what went wrong
         */
        record Failed(LockBackendException cause) implements Reply {
            /**
             * Creates the reply.
             *
             * @param cause what went wrong
             */
            public Failed {
                Objects.requireNonNull(cause, "cause");
            }
        }
    }

    /** A command that was sent. */
    interface Sent {
        /**
         * Keeps a script from being sent in full after this moment, so that nothing sent from now on can be overtaken by it.
         * Has no effect if it was sent in full already, or has been answered.
         */
        void doNotRepeat();
    }

    /**
     * Sends a command, or lets it wait behind what was sent before, to be written by the next {@link #flush}. A script that the server
     * does not know is sent in full once more, behind what was sent meanwhile.
     *
     * @param command the command
     * @param onReply told what came of it, exactly once, perhaps before this method returns; must not block
     * @return the command on its way
     */
    Sent send(RedisCommand command, Consumer<Reply> onReply);

    /**
     * Writes what waits, or leaves that to another thread that is about to do it. What a listener to replies of this connection sends is
     * written when it has returned, at the latest.
     */
    default void flush() {}

    /**
     * Reads replies on the present thread, so that it need not be woken by another one. Does nothing where replies come by themselves,
     * while another thread reads, or where the server has been slow lately.
     *
     * @param enough tells when to stop; is asked after each reply
     * @return whether there is enough, or nothing more to come; if not, {@link #readInBackground} has the replies read
     */
    default boolean readReplies(BooleanSupplier enough) {
        return false;
    }

    /**
     * Does what {@link #flush} does, and has replies read by a thread of the connection as soon as they come, until there are no more to
     * come; does not wait for that.
     */
    default void readInBackground() {}

    /**
     * Tells whether the connection was still there when it was last heard of.
     *
     * @return {@code false} if it has ended
     */
    boolean isOpen();

    /** Ends the connection; commands that are not answered yet fail with an unknown outcome. Has no effect if called again. */
    @Override
    void close();

    /**
     * As {@link #close}, and throws away what the network has not delivered yet, as far as the implementation can, so that it does not
     * reach the server after what is sent over a later connection.
     */
    default void abort() {
        close();
    }
}
