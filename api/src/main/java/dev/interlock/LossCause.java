// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

/**
 * The cause of the loss of a lease.
 *
 * @see Lease#onLoss
 */
public enum LossCause {
    /** The lease ran out without a renewal, because renewal is off or because this process or machine stood still. */
    EXPIRED("its time ran out"),
    /** The lease ran out while the backend could not be reached or did not answer. */
    UNREACHABLE("its time ran out while the backend did not answer"),
    /** The backend has no record of the lease: it was deleted, flushed, evicted, or lost in a restart or failover. */
    GONE("the backend no longer has it"),
    /** The backend says that somebody else holds the lock. */
    TAKEN("another holder has it"),
    /** It was held for as long as {@link LockOptions#maxHold()} permits. */
    MAX_HOLD("it was held for as long as maxHold permits"),
    /** The thread that held it ended without unlocking, or its handle or factory was dropped without being closed. */
    OWNER_DIED("its thread ended, or its handle or factory was dropped, without a release"),
    /** The factory was closed. */
    FACTORY_CLOSED("its factory was closed");

    private final String summary;

    LossCause(String summary) {
        this.summary = summary;
    }

    /**
     * Returns the cause as the end of a sentence that begins "the lease was lost:".
     *
     * @return the cause, for people
     */
    public String summary() {
        return summary;
    }
}
