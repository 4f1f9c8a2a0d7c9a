// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Finds working connections to one server. */
final class Lines {
    /** The time for which a connection counts as alive after the server has answered on it. */
    private static final long TRUSTED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The longest wait for a sign of life: a new connection takes no longer. */
    private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

    private final Failures failures;
    private final Wire wire;
    private final Runnable onReplica;
    private volatile boolean closed;

    /** @param onReplica run when no connection was made because the server is a replica now */
    Lines(Failures failures, Wire wire, Runnable onReplica) {
        this.failures = failures;
        this.wire = wire;
        this.onReplica = onReplica;
    }

    Wire.Line open(Wire.Use use, Deadline deadline) {
        while (true) {
            requireOpen();
            Wire.Line line = connect(use, deadline);
            if (line.silentNanos() < TRUSTED_NANOS || answers(line, deadline)) {
                return line;
            }
        }
    }

    private Wire.Line connect(Wire.Use use, Deadline deadline) {
        try {
            return wire.open(use, deadline);
        } catch (ServerErrorException e) {
            if (e.error().equals(ServerError.READ_ONLY)) {
                onReplica.run();
            }
            throw e;
        }
    }

    RedisLink openLink(Deadline deadline) {
        requireOpen();
        return wire.openLink(deadline);
    }

    private void requireOpen() {
        if (closed) {
            throw failures.closed(null);
        }
    }

    /**
     * Returns whether a connection is still there: the network may have forgotten it, and the server ended it, without
     * our being told.
     */
    private static boolean answers(Wire.Line line, Deadline deadline) {
        try {
            line.exchange(List.of(RedisCommand.of("PING")), List.of(), deadline.sooner(LONGEST_LOOK, 2));
            return true;
        } catch (NotSentException | LockBackendException e) {
            return false;
        }
    }

    void close() {
        closed = true;
        wire.close();
    }
}
