// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import java.util.concurrent.TimeUnit;

/** How far away the server is: how long its quickest replies take. Noted by the leader, asked by any thread. */
final class Distance {
    /** From here on a network is between the server and us, whose latency nobody should have to wait for twice. */
    private static final long FAR_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** The part of itself by which the distance grows with a slow reply: a server that is busy for a while is not far away. */
    private static final int GROWTH = 16;

    private volatile long nanos;

    /** Notes how long the first of several replies took: a quick one counts at once, slow ones only if they keep coming. */
    void note(long replyNanos) {
        long before = nanos;
        nanos = before == 0 ? replyNanos : Math.min(replyNanos, before + before / GROWTH + 1);
    }

    /** Whether waiting for replies takes longer than it costs to write apart. */
    boolean isFar() {
        return nanos > FAR_NANOS;
    }
}
