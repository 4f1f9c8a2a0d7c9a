// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

/**
 * What a strategy promises beyond mutual exclusion while its {@linkplain Assumption assumptions} hold.
 *
 * <p>The conformance suite runs the rules of every capability that a {@linkplain StrategyProfile profile} declares.
 * Constants may be added in later versions.
 */
public enum Capability {
    /** The thread that holds the lock may lock it again, and frees it with its last {@code unlock}. */
    REENTRANT("the holding thread may lock again"),
    /** The lease of a live holder is extended without its help until it unlocks. */
    AUTO_RENEWAL("a live holder's lease is extended by itself"),
    /** Each grant carries a number that is larger than that of every earlier grant of the same name. */
    FENCING("grants are numbered in strictly increasing order"),
    /** A waiter is told when the lock is freed, and need not poll for it. */
    PUSH_WAKEUP("waiters are told when the lock is freed"),
    /**
     * Waiting clients get the lock in the order in which they began to wait, and one that is gone is passed over. Not promised: the order among
     * threads that wait while a client hands the lock from one of its own threads to the next, and that of waiters whose place was lost with the
     * server's data or a connection.
     */
    FAIR("waiting clients are served in order of arrival"),
    /** The lock outlives the failure of a minority of its servers. */
    QUORUM("survives the failure of a minority of its servers"),
    /** A release or an extension never touches the lock of another holder. */
    SAFE_RELEASE("a release never touches another holder's lock");

    private final String summary;

    Capability(String summary) {
        this.summary = summary;
    }

    /**
     * Returns what is promised, in half a line.
     *
     * @return the promise, for people
     */
    public String summary() {
        return summary;
    }
}
