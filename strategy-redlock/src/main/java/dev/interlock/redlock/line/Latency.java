// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.line;

/**
 * The shortest of the last round trips to a node. The shortest counts, since a reply that nobody waits for stays in the
 * buffers until a thread reads it. Noted by one thread at a time; may be read by any.
 */
public final class Latency {
    /** The number of round trips after which earlier ones no longer count. */
    private static final int SPAN = 32;

    private long present = Long.MAX_VALUE;
    private long former = Long.MAX_VALUE;
    private int count;
    private volatile long shortest;

    /** Creates an instance without round trips. */
    public Latency() {}

    /**
     * Notes a round trip.
     *
     * @param nanos how long it took
     */
    public void note(long nanos) {
        present = Math.min(present, nanos);
        long now = Math.max(1, Math.min(present, former));
        if (now != shortest) {
            shortest = now;
        }
        if (++count == SPAN) {
            count = 0;
            former = present;
            present = Long.MAX_VALUE;
        }
    }

    /**
     * Returns the shortest of the last round trips.
     *
     * @return nanoseconds; zero if there was none
     */
    public long nanos() {
        return shortest;
    }
}
