// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

/**
 * Why a lease ended before its holder gave it up.
 *
 * @see Lease#onLoss
 */
public enum LossCause {
    /** Its time ran out: it was not renewed, because renewal is off or this process or machine stood still. */
    EXPIRED("its time ran out"),
    /** Its time ran out while the backend could not be reached or did not answer, so that nobody knows more. */
    UNREACHABLE("its time ran out while the backend did not answer"),
    /** The backend no longer knows of it: deleted, flushed, evicted, or lost in a restart or failover. */
    GONE("the backend no longer has it"),
    /** The backend says that somebody else holds the lock. */
    TAKEN("another holder has it"),
    /** It was held for as long as {@link LockOptions#maxHold()} permits. */
    MAX_HOLD("it was held for as long as maxHold permits"),
    /** The thread that held it ended without unlocking, or its handle or factory was dropped without being closed. */
    OWNER_DIED("whoever held it is gone and did not give it up"),
    /** The factory that it came from was closed. */
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
