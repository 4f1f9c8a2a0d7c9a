// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** The chapters of {@code docs/contract.md}, in their order: the rules of the first begin with {@code rule_1_}. */
public enum Chapter {
    /** Who is let in. */
    EXCLUSION(1, "Exclusion"),
    /** Who may unlock. */
    OWNERSHIP(2, "Ownership and unlock"),
    /** Locking what one holds. */
    REENTRY(3, "Re-entry"),
    /** What an interrupt ends, and what it does not. */
    INTERRUPTS(4, "Interrupts"),
    /** How long a call waits. */
    TIMED_WAITS(5, "Timed waits"),
    /** How long a grant lasts. */
    LEASES(6, "Lease, renewal and loss"),
    /** What a store can tell late writers by. */
    FENCING(7, "Fencing"),
    /** Who is woken, and when. */
    WAITING(8, "Waiting and wake-up"),
    /** What becomes of locks when the backend fails. */
    FAULTS(9, "Faults and unknown outcomes"),
    /** What a lock may be called, and what can be set. */
    NAMES(10, "Names and configuration"),
    /** What closing ends. */
    LIFECYCLE(11, "Lifecycle"),
    /** What holds from one JVM to another. */
    PROCESSES(12, "Several processes");

    private final int number;
    private final String title;

    Chapter(int number, String title) {
        this.number = number;
        this.title = title;
    }

    /**
     * Returns the number of the chapter.
     *
     * @return its number, from 1
     */
    public int number() {
        return number;
    }

    /**
     * Returns the heading of the chapter.
     *
     * @return the heading, without its number
     */
    public String title() {
        return title;
    }
}
