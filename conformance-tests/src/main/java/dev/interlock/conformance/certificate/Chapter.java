// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.certificate;

/** The chapters of {@code docs/contract.md}, in their order: the rules of the first begin with {@code rule_1_}. */
public enum Chapter {
    /** At most one owner holds the lock. */
    EXCLUSION(1, "Exclusion"),
    /** The owner of a hold, and the threads that may unlock. */
    OWNERSHIP(2, "Ownership and unlock"),
    /** The holder locks again. */
    REENTRY(3, "Re-entry"),
    /** The calls that an interrupt ends, and those that it does not end. */
    INTERRUPTS(4, "Interrupts"),
    /** How long a call waits. */
    TIMED_WAITS(5, "Timed waits"),
    /** How long a grant lasts. */
    LEASES(6, "Lease, renewal and loss"),
    /** The numbers by which a store refuses late writers. */
    FENCING(7, "Fencing"),
    /** The order in which waiters are woken, and the time that it takes. */
    WAITING(8, "Waiting and wake-up"),
    /** How locks behave when the backend fails. */
    FAULTS(9, "Faults and unknown outcomes"),
    /** The names that are allowed, and the configuration. */
    NAMES(10, "Names and configuration"),
    /** Closing a factory, and what it ends. */
    LIFECYCLE(11, "Lifecycle"),
    /** The rules between one JVM and another. */
    PROCESSES(12, "Several processes"),
    /** Waits for a condition, and the signals that end them. */
    CONDITIONS(13, "Conditions"),
    /** Readers and writers: who may hold the lock at the same time, and in which order. */
    READ_WRITE(14, "Read and write"),
    /** Locks over several names: the rules of single locks that they keep, and those of their own. */
    SEVERAL_NAMES(15, "Several names"),
    /** Asynchronous acquisition: the threads that carry it, and their independence of each other. */
    ASYNCHRONY(16, "Asynchronous acquisition");

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
