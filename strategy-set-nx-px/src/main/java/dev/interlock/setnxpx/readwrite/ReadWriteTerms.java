// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.readwrite;

import dev.interlock.redis.Acknowledgement;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * The settings that read/write locks share with the other locks of a client.
 *
 * @param fencing whether tokens are drawn
 * @param acknowledgement the acknowledgement that an acquisition or renewal requires
 * @param timeout how long to wait for the answer to a question
 * @param fenceLife how long the last token is remembered
 * @param listLife the life of a list of waiters, each of which asks again before half of it is over
 * @param longestHandOff the longest lease of a side that is granted to a waiter which may not be alive any more
 * @param validity how long a lease is valid
 */
public record ReadWriteTerms(
        boolean fencing,
        Acknowledgement acknowledgement,
        Duration timeout,
        Duration fenceLife,
        Duration listLife,
        Duration longestHandOff,
        UnaryOperator<Duration> validity) {
    /** The lease of a side that the end of a phase grants to a waiting claim. */
    Duration handOffLease(Duration lease) {
        return lease.compareTo(longestHandOff) < 0 ? lease : longestHandOff;
    }
}
