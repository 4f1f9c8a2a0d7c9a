// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import java.util.concurrent.TimeUnit;

/** Estimates the latency of the server from its quickest replies. Updated by the leader, read by any thread. */
final class LatencyEstimate {
    /** From this latency on there is a network in between, and no caller should wait for two round trips. */
    private static final long FAR_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /**
     * The fraction, as a divisor, by which a slow reply raises the estimate: a server that is busy for a while is not
     * far away.
     */
    private static final int GROWTH = 16;

    private volatile long nanos;

    /** Records the time of a first reply: a quick one counts at once, slow ones only if they persist. */
    void note(long replyNanos) {
        long before = nanos;
        nanos = before == 0 ? replyNanos : Math.min(replyNanos, before + before / GROWTH + 1);
    }

    /** Returns whether waiting for replies takes longer than a separate write costs. */
    boolean isFar() {
        return nanos > FAR_NANOS;
    }
}
