// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

/**
 * The root of a lock: the token that a majority holds, with what its present owner knows of it.
 *
 * @param token the token, which all owners of a chain share one after the other
 * @param lead the node that granted it, and passes it on
 * @param hop how often it was passed on
 * @param deadlineMicros the time until which a next owner may hold it, by the clock of the lead; zero if it must not be
 *     passed on
 * @param firstFence the first fencing token of this owner, or zero
 * @param nextFence the first fencing token of the next owner, or zero
 * @param endNanos the time until which this owner may hold it, by the monotonic clock of this process
 */
public record Root(
        String token, int lead, int hop, long deadlineMicros, long firstFence, long nextFence, long endNanos) {
    /**
     * Tells whether the owner may pass it on.
     *
     * @param nowNanos the time
     * @return whether to try
     */
    public boolean isPassable(long nowNanos) {
        return deadlineMicros != 0 && hop < LeadScripts.MOST_HOPS && endNanos - nowNanos > 0;
    }

    /**
     * Returns this root with a lease that is too long to be passed on.
     *
     * @return the same root
     */
    public Root notPassable() {
        return new Root(token, lead, hop, 0, firstFence, nextFence, endNanos);
    }

    /**
     * Returns this root after a renewal.
     *
     * @param deadline until when a next owner may hold it, or zero
     * @param end until when this owner may hold it
     * @return the same root
     */
    public Root renewed(long deadline, long end) {
        return new Root(token, lead, hop, deadline, firstFence, nextFence, end);
    }

    @Override
    public String toString() {
        return "Root[hop=" + hop + ", lead=" + lead + "]";
    }
}
