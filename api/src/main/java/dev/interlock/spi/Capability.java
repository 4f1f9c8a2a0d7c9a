// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

/**
 * A promise of a strategy beyond mutual exclusion, which it keeps while its {@linkplain Assumption assumptions} hold.
 *
 * <p>The conformance suite runs the rules of every capability that a {@linkplain StrategyProfile profile} declares.
 * Constants may be added in later versions.
 */
public enum Capability {
    /** The thread that holds the lock may lock it again, and frees it with its last {@code unlock}. */
    REENTRANT("the holding thread may lock again"),
    /** The lease of a live holder is renewed automatically until it unlocks. */
    AUTO_RENEWAL("a live holder's lease is extended by itself"),
    /** Each grant has a fencing token that is larger than that of every earlier grant of the same name. */
    FENCING("grants are numbered in strictly increasing order"),
    /** A waiter is woken when the lock is freed, and need not poll. */
    PUSH_WAKEUP("waiters are told when the lock is freed"),
    /**
     * Waiting clients get the lock in the order in which they began to wait, and one that is gone is passed over. Not
     * promised: the order among threads that wait while a client hands the lock from one of its own threads to the
     * next, and that of waiters whose place was lost with the server's data or a connection.
     */
    FAIR("waiting clients are served in order of arrival"),
    /** The lock outlives the failure of a minority of its servers. */
    QUORUM("survives the failure of a minority of its servers"),
    /** A release or a renewal never affects the lock of another holder. */
    SAFE_RELEASE("a release never touches another holder's lock"),
    /** A thread that holds the lock may wait for a condition until another one, of any client, signals it. */
    CONDITIONS("holders wait for conditions that any client signals"),
    /** There are read/write locks: many may read at once, each by a lease of its own, and whoever writes is alone. */
    READ_WRITE("read/write locks"),
    /**
     * On {@linkplain #READ_WRITE read/write locks}, reading and writing take turns while both are wanted, and writers
     * come in the order in which they began to wait. Without it, readers that overlap may keep a writer out for ever.
     */
    READ_WRITE_FAIR("neither side of a read/write lock starves"),
    /**
     * The lock and the {@linkplain #READ_WRITE read/write lock} of one name are two locks. Without it they are kept in
     * one place, and each excludes the other.
     */
    READ_WRITE_APART("the lock and the read/write lock of a name are two"),
    /** One lock may be over several names: all or none, in one order, with one deadline and one loss. */
    SEVERAL_NAMES("one lock may be over several names, all or none");

    private final String summary;

    Capability(String summary) {
        this.summary = summary;
    }

    /**
     * Returns a short description of the promise.
     *
     * @return the promise, for people
     */
    public String summary() {
        return summary;
    }
}
