// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.redis.RedisLink;
import java.util.concurrent.atomic.AtomicInteger;

/** A connection to a server that has introduced itself. */
final class Session {
    final RedisLink link;
    final String runId;

    /** When the server may vote, on the monotonic clock. */
    final long votesFromNanos;

    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile long heardNanos;

    Session(RedisLink link, String runId, long votesFromNanos, long nowNanos) {
        this.link = link;
        this.runId = runId;
        this.votesFromNanos = votesFromNanos;
        this.heardNanos = nowNanos;
    }

    void noteSent(long nowNanos) {
        if (unanswered.getAndIncrement() == 0) {
            heardNanos = nowNanos;
        }
    }

    void noteAnswer(long nowNanos) {
        heardNanos = nowNanos;
        unanswered.decrementAndGet();
    }

    /** When the server was last heard of. */
    long heardNanos() {
        return heardNanos;
    }

    /** For how long it has owed an answer without giving any. */
    long silentNanos(long nowNanos) {
        return unanswered.get() == 0 ? 0 : nowNanos - heardNanos;
    }
}
