// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The attempts to connect to a node: their thread, when they began, and how the last one failed. Guarded by a lock of
 * its owner.
 */
public final class Reconnection {
    private final Environment env;
    private final String node;
    private final Duration timeout;
    private final Consumer<Boolean> connect;
    private @Nullable Thread thread;
    private long sinceNanos;
    private boolean wasConnected;
    private @Nullable LockBackendException lastFailure;

    /**
     * Creates an instance that has not begun to connect.
     *
     * @param env time and threads
     * @param node the name of the server in messages
     * @param timeout how long the first connection is waited for, at most
     * @param connect tries until there is a connection, on a thread of its own; is told whether to wait before the
     *     first attempt
     */
    public Reconnection(Environment env, String node, Duration timeout, Consumer<Boolean> connect) {
        this.env = env;
        this.node = node;
        this.timeout = timeout;
        this.connect = connect;
    }

    /**
     * Starts to connect, unless that has begun.
     *
     * @param wait whether to wait before the first attempt
     */
    public void begin(boolean wait) {
        if (thread == null) {
            lastFailure = null;
            sinceNanos = env.nanoTime();
            thread = env.newThread("interlock-redlock-connect", () -> connect.accept(wait));
            thread.start();
        }
    }

    /**
     * Notes that the thread has ended.
     *
     * @param connected whether there is a connection
     */
    public void ended(boolean connected) {
        thread = null;
        lastFailure = null;
        wasConnected |= connected;
    }

    /**
     * Notes that an attempt has failed; another one follows.
     *
     * @param cause the failure
     */
    public void failed(LockBackendException cause) {
        lastFailure = cause;
    }

    /**
     * Returns why the last attempt has failed.
     *
     * @return why, or {@code null} if it has not, or there was none
     */
    public @Nullable LockBackendException lastFailure() {
        return lastFailure;
    }

    /**
     * Tells how long a request may wait for the connection: as long as for an answer if there was a connection before,
     * and longer for the first one.
     *
     * @param answerNanos how long the request waits for an answer
     * @param connectionNanos how long it waits for a first connection
     * @return the time, which may be negative
     */
    public long leftNanos(long answerNanos, long connectionNanos) {
        long spentNanos = env.nanoTime() - sinceNanos;
        return wasConnected ? answerNanos - spentNanos : Math.min(timeout.toNanos() - spentNanos, connectionNanos);
    }

    /**
     * Tells why a request may not wait.
     *
     * @param leftNanos for how long it would
     * @return why not, or {@code null} if it may
     */
    public @Nullable LockBackendException whyNot(long leftNanos) {
        if (lastFailure != null) {
            return lastFailure;
        }
        return leftNanos > 0
                ? null
                : new LockBackendException(Reason.UNREACHABLE, "there is no connection to " + node + " yet");
    }

    /** Lets the thread notice that no connection is wanted any more. */
    public void wake() {
        if (thread != null) {
            env.unpark(thread);
        }
    }
}
