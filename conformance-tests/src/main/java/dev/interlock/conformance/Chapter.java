// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

/** The chapters of {@code docs/contract.md}, in their order: the rules of the first begin with {@code rule_1_}. */
public enum Chapter {
    /** Who is let in. */
    EXCLUSION("Exclusion"),
    /** Who may unlock. */
    OWNERSHIP("Ownership and unlock"),
    /** Locking what one holds. */
    REENTRY("Re-entry"),
    /** What an interrupt ends, and what it does not. */
    INTERRUPTS("Interrupts"),
    /** How long a call waits. */
    TIMED_WAITS("Timed waits"),
    /** How long a grant lasts. */
    LEASES("Lease, renewal and loss"),
    /** What a store can tell late writers by. */
    FENCING("Fencing"),
    /** Who is woken, and when. */
    WAITING("Waiting and wake-up"),
    /** What becomes of locks when the backend fails. */
    FAULTS("Faults and unknown outcomes"),
    /** What a lock may be called, and what can be set. */
    NAMES("Names and configuration"),
    /** What closing ends. */
    LIFECYCLE("Lifecycle"),
    /** What holds from one JVM to another. */
    PROCESSES("Several processes");

    private final String title;

    Chapter(String title) {
        this.title = title;
    }

    /**
     * Returns the number of the chapter.
     *
     * @return its number, from 1
     */
    public int number() {
        return ordinal() + 1;
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
