// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a node, which is replaced by a new one when it breaks. Guarded by a lock of its owner, except for
 * {@link #present}.
 *
 * @param <C> the type of the connections
 */
public final class NodeConnection<C extends NodeConnection.Connection> {
    private final Duration timeout;
    private final Runnable onDropped;
    private final Reconnection reconnection;
    private volatile @Nullable C present;
    private boolean closed;
    private long count;

    /** A connection. */
    public interface Connection {
        /**
         * Tells whether another process has taken the place of the one to which it leads.
         *
         * @return {@code true} if the answers of this connection do not count any more
         */
        boolean hasSuccessor();

        /**
         * Tells whether the connection was still open when it was last used.
         *
         * @return {@code false} if it has ended
         */
        boolean isOpen();

        /**
         * Tells how long the oldest unanswered request has been on its way.
         *
         * @param nowNanos the time
         * @return how long, or zero if every request was answered
         */
        long owingNanos(long nowNanos);

        /** Aborts the connection, so that no request that was sent over it arrives after later ones. */
        void abort();

        /** Closes the connection. */
        void close();
    }

    /**
     * Creates an instance that is not connected.
     *
     * @param env time and threads
     * @param node the name of the server in messages
     * @param timeout how long an answer, or the first connection, is waited for, at most
     * @param connect tries until there is a connection, on a thread of its own; is told whether to wait before the
     *     first attempt
     * @param onDropped called when the connection has ended, under the lock
     */
    public NodeConnection(
            Environment env, String node, Duration timeout, Consumer<Boolean> connect, Runnable onDropped) {
        this.timeout = timeout;
        this.onDropped = onDropped;
        this.reconnection = new Reconnection(env, node, timeout, connect);
    }

    /**
     * Returns the connection; may be called without the lock.
     *
     * @return the connection, or {@code null} if there is none
     */
    public @Nullable C present() {
        return present;
    }

    /**
     * Returns the connection, unless it has ended, or has been silent for so long that a new one may do better.
     *
     * @param nowNanos the time
     * @return the connection, or {@code null} if there is none
     */
    public @Nullable C examined(long nowNanos) {
        C current = present;
        if (current != null) {
            if (current.hasSuccessor()) {
                drop(current, true);
            } else if (!current.isOpen() || current.owingNanos(nowNanos) > timeout.toNanos()) {
                drop(current, false);
            }
        }
        return present;
    }

    /**
     * Gives up a connection, and starts to make another one.
     *
     * @param over the connection; nothing happens if it is not the present one
     * @param wait whether the next one must wait
     */
    @SuppressWarnings("ReferenceEquality")
    public void drop(C over, boolean wait) {
        if (present == over) {
            present = null;
            if (!closed) {
                reconnection.begin(wait);
            }
            over.abort();
            onDropped.run();
        }
    }

    /** Starts to connect, unless that has begun. */
    public void begin() {
        reconnection.begin(false);
    }

    /**
     * Notes that an attempt to connect has failed; another one follows.
     *
     * @param cause the failure
     */
    public void failed(LockBackendException cause) {
        reconnection.failed(cause);
    }

    /**
     * Tells for how long a request may wait for a connection.
     *
     * @param answerNanos how long the request waits for an answer
     * @param connectionNanos how long it waits for a first connection
     * @return the time, which may be negative
     */
    public long leftNanos(long answerNanos, long connectionNanos) {
        return reconnection.leftNanos(answerNanos, connectionNanos);
    }

    /**
     * Tells why a request may not wait for a connection.
     *
     * @param leftNanos for how long it would
     * @return why not, or {@code null} if it may
     */
    public @Nullable LockBackendException whyNot(long leftNanos) {
        return reconnection.whyNot(leftNanos);
    }

    /**
     * Makes a connection the present one, or closes it if none is wanted any more.
     *
     * @param opened the connection
     * @return whether it is used
     */
    public boolean use(C opened) {
        reconnection.ended(!closed);
        if (closed) {
            opened.close();
            return false;
        }
        present = opened;
        count++;
        return true;
    }

    /**
     * Tells how many connections there were, the present one included.
     *
     * @return the number of connections
     */
    public long count() {
        return count;
    }

    /**
     * Returns why the last attempt to connect has failed.
     *
     * @return why, or {@code null} if there is a connection, or none was tried yet
     */
    public @Nullable LockBackendException lastFailure() {
        return reconnection.lastFailure();
    }

    /**
     * Tells whether no connection is wanted any more.
     *
     * @return whether this was closed
     */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Closes this: no further connection is used.
     *
     * @return the last one, which is not closed yet, or {@code null}
     */
    public @Nullable C close() {
        closed = true;
        C last = present;
        present = null;
        reconnection.wake();
        return last;
    }
}
