// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

/**
 * One thing that a seed has planned: something that a client does, or a fault. Each has a number, by which it can be
 * left out.
 */
sealed interface Step {
    /** Its number in the plan. */
    int number();

    /** A request of a client. */
    enum Ask {
        LOCK,
        LOCK_INTERRUPTIBLY,
        TRY_LOCK,
        TRY_LOCK_TIMED,
        ACQUIRE,
        TRY_ACQUIRE_TIMED,
        LOCK_TWICE
    }

    /**
     * A client takes a lock, holds it and gives it back.
     *
     * @param number its number in the plan
     * @param client which client
     * @param worker which of its threads
     * @param ask how it asks
     * @param lock which lock
     * @param thinkNanos how long it waits before
     * @param holdNanos how long it holds the lock
     * @param waitNanos how long it waits for the lock at most, or after how long it is interrupted
     * @param leaseMillis the lease
     * @param renewed whether the lease is renewed
     * @param ensured whether it asks for more validity when half of the time has passed for which it holds the lock
     */
    record Work(
            int number,
            int client,
            int worker,
            Ask ask,
            String lock,
            long thinkNanos,
            long holdNanos,
            long waitNanos,
            long leaseMillis,
            boolean renewed,
            boolean ensured)
            implements Step {
        @Override
        public String toString() {
            return "client-" + client + ", thread " + worker + ": after " + millis(thinkNanos) + " "
                    + ask.name().toLowerCase(java.util.Locale.ROOT) + " \"" + lock + "\" with a lease of " + leaseMillis
                    + " ms" + (renewed ? ", renewed" : "") + (ensured ? ", ensured" : "") + ", waits "
                    + millis(waitNanos) + ", holds it for "
                    + millis(holdNanos);
        }
    }

    /**
     * A client closes its factory.
     *
     * @param number its number in the plan
     * @param client which client
     * @param atNanos when
     */
    record Close(int number, int client, long atNanos) implements Step {
        @Override
        public String toString() {
            return "client-" + client + " closes its factory at " + millis(atNanos);
        }
    }

    /**
     * A fault.
     *
     * @param number its number in the plan
     * @param kind what happens
     * @param client to which client, if it happens to one
     * @param atNanos when
     * @param nanos for how long
     * @param amount how much
     */
    record Fault(int number, FaultKind kind, int client, long atNanos, long nanos, int amount) implements Step {
        @Override
        public String toString() {
            return "fault " + kind.label() + " at " + millis(atNanos) + " for " + millis(nanos) + " (client-" + client
                    + ", " + amount + ")";
        }
    }

    static String millis(long nanos) {
        return nanos / 1_000_000 + " ms";
    }
}
