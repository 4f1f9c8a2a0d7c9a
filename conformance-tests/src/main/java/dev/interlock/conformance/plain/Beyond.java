// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

/**
 * A feature that a {@link dev.interlock.DistributedLock} has and a plain {@link java.util.concurrent.locks.Lock} need
 * not have.
 */
public enum Beyond {
    /** Lock objects that are found by name: two objects of one name are one lock. */
    NAMES("several lock objects of one name"),
    /** Several clients of one backend, each an owner of its own. */
    CLIENTS("several clients"),
    /** A query for the current thread's holds. */
    QUERIES("a query of the current thread's holds"),
    /** A query whether anybody holds the lock. */
    STATE("a query whether anybody holds the lock"),
    /** A hold that belongs to no thread: {@code acquire()} and {@code tryAcquire()}. */
    HANDLES("handles, which belong to no thread"),
    /** A hold that ends by itself after a time that the caller chooses. */
    LEASES("leases that the caller chooses and looks at"),
    /** {@code newCondition()} throws, because no thread of another process could be woken. */
    NO_CONDITIONS("a lock without conditions");

    private final String what;

    Beyond(String what) {
        this.what = what;
    }

    /**
     * Returns the words that name it in the reason of a skipped rule.
     *
     * @return a few words that follow "needs"
     */
    public String what() {
        return what;
    }
}
