// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a node gets a connection: the thread that tries, since when it has tried, and how its last attempt failed. Guarded by the lock of
 * the {@link NodeLine}.
 */
final class Reconnection {
    private final Environment env;
    private final String node;
    private final NodeConnector connector;
    private final Duration timeout;
    private @Nullable Thread thread;
    private long sinceNanos;
    private boolean wasConnected;
    private @Nullable LockBackendException lastFailure;

    /** @param node what the server is called in messages */
    Reconnection(Environment env, String node, NodeConnector connector, Duration timeout) {
        this.env = env;
        this.node = node;
        this.connector = connector;
        this.timeout = timeout;
    }

    /**
     * Starts to connect, unless that has begun.
     *
     * @param wait whether to wait before the first attempt
     */
    void begin(boolean wait) {
        if (thread == null) {
            lastFailure = null;
            sinceNanos = env.nanoTime();
            thread = env.newThread("interlock-redlock-connect", () -> connector.connect(wait));
            thread.start();
        }
    }

    /** Notes that the thread has ended. */
    void ended() {
        thread = null;
        lastFailure = null;
    }

    void succeeded() {
        wasConnected = true;
    }

    void failed(LockBackendException cause) {
        lastFailure = cause;
    }

    /**
     * Tells until when a request may wait for the connection: as long as for an answer where there was one before, since the first may
     * take longer.
     *
     * @return why it may not wait, or {@code null} if it may
     */
    @Nullable
    LockBackendException admit(Request request, long nowNanos) {
        long spentNanos = nowNanos - sinceNanos;
        long leftNanos = wasConnected
                ? request.patience.answerNanos() - spentNanos
                : Math.min(timeout.toNanos() - spentNanos, request.patience.connectionNanos());
        request.lateNanos(nowNanos + leftNanos);
        if (lastFailure != null) {
            return lastFailure;
        }
        return leftNanos > 0
                ? null
                : new LockBackendException(Reason.UNREACHABLE, "there is no connection to " + node + " yet");
    }

    /** Lets the thread notice that no connection is wanted any more. */
    void wake() {
        if (thread != null) {
            env.unpark(thread);
        }
    }
}
