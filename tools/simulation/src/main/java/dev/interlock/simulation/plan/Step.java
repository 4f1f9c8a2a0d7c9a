// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.plan;

import java.util.List;

/**
 * A step of a plan: an action of a client, or a fault. Each has a number, by which it can be left out.
 */
public sealed interface Step {
    /** Its number in the plan. */
    int number();

    /** What a thread of a client does with a lock. The thread does its tasks one after the other. */
    sealed interface Task extends Step permits Work, Await, Signal, Side, Several {
        /** Which client. */
        int client();

        /** Which of its threads. */
        int worker();

        /** Which lock. */
        String lock();

        /** How long the thread waits before it begins, in ns. */
        long thinkNanos();

        /** The lease of the lock, in ms. */
        long leaseMillis();

        /** Returns whether the lease is renewed. */
        boolean renewed();

        /** How long the thread holds the lock, in ns. */
        long holdNanos();
    }

    /** A kind of wait for a condition. */
    enum Waiting {
        INTERRUPTIBLY,
        UNINTERRUPTIBLY,
        FOR_A_TIME,
        UNTIL_A_DATE
    }

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
     * @param thinkNanos how long it waits before it asks
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
            implements Task {
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
     * A client takes a lock, waits for a condition, and gives the lock back.
     *
     * @param number its number in the plan
     * @param client which client
     * @param worker which of its threads
     * @param waiting how it waits
     * @param lock which lock
     * @param condition the name of the condition, or empty for the first without a name
     * @param thinkNanos how long it waits before it takes the lock
     * @param waitNanos how long it waits for the condition at most, or after how long it is interrupted; 0 for no limit
     * @param holdNanos how long it holds the lock after that
     * @param leaseMillis the lease
     * @param renewed whether the lease is renewed
     * @param twice whether it takes the lock twice
     */
    record Await(
            int number,
            int client,
            int worker,
            Waiting waiting,
            String lock,
            String condition,
            long thinkNanos,
            long waitNanos,
            long holdNanos,
            long leaseMillis,
            boolean renewed,
            boolean twice)
            implements Task {
        @Override
        public String toString() {
            return "client-" + client + ", thread " + worker + ": after " + millis(thinkNanos) + " waits "
                    + waiting.name().toLowerCase(java.util.Locale.ROOT) + " for condition \"" + condition + "\" of \""
                    + lock + "\" with a lease of " + leaseMillis + " ms" + (renewed ? ", renewed" : "")
                    + (twice ? ", twice" : "")
                    + (waitNanos == 0 ? "" : ", limit " + millis(waitNanos)) + ", holds it for " + millis(holdNanos);
        }
    }

    /**
     * A client takes a lock, signals a condition, and gives the lock back.
     *
     * @param number its number in the plan
     * @param client which client
     * @param worker which of its threads
     * @param all whether it wakes all waiters
     * @param lock which lock
     * @param condition the name of the condition, or empty for the first without a name
     * @param thinkNanos how long it waits before it takes the lock
     * @param holdNanos how long it holds the lock after the signal
     * @param leaseMillis the lease
     * @param renewed whether the lease is renewed
     */
    record Signal(
            int number,
            int client,
            int worker,
            boolean all,
            String lock,
            String condition,
            long thinkNanos,
            long holdNanos,
            long leaseMillis,
            boolean renewed)
            implements Task {
        @Override
        public String toString() {
            return "client-" + client + ", thread " + worker + ": after " + millis(thinkNanos) + " signals "
                    + (all ? "all of " : "") + "condition \"" + condition + "\" of \"" + lock + "\" with a lease of "
                    + leaseMillis + " ms" + (renewed ? ", renewed" : "") + ", holds it for " + millis(holdNanos);
        }
    }

    /**
     * A client reads or writes under a read/write lock.
     *
     * @param work how it asks for its side, and for how long it holds that
     * @param writes whether it writes
     * @param downgrades whether a writer goes on reading
     */
    record Side(Work work, boolean writes, boolean downgrades) implements Task {
        @Override
        public int number() {
            return work.number;
        }

        @Override
        public int client() {
            return work.client;
        }

        @Override
        public int worker() {
            return work.worker;
        }

        @Override
        public String lock() {
            return work.lock;
        }

        @Override
        public long thinkNanos() {
            return work.thinkNanos;
        }

        @Override
        public long leaseMillis() {
            return work.leaseMillis;
        }

        @Override
        public long holdNanos() {
            return work.holdNanos;
        }

        @Override
        public boolean renewed() {
            return work.renewed;
        }

        @Override
        public String toString() {
            return work + ", to " + (writes ? "write" : "read") + (downgrades ? " and then to read" : "");
        }
    }

    /**
     * A client takes a lock over several names, holds it and gives it back.
     *
     * @param work how it asks for the lock, and for how long it holds it
     * @param names the names
     */
    record Several(Work work, List<String> names) implements Task {
        @Override
        public int number() {
            return work.number;
        }

        @Override
        public int client() {
            return work.client;
        }

        @Override
        public int worker() {
            return work.worker;
        }

        @Override
        public String lock() {
            return work.lock;
        }

        @Override
        public long thinkNanos() {
            return work.thinkNanos;
        }

        @Override
        public long leaseMillis() {
            return work.leaseMillis;
        }

        @Override
        public long holdNanos() {
            return work.holdNanos;
        }

        @Override
        public boolean renewed() {
            return work.renewed;
        }

        @Override
        public String toString() {
            return work + ", over " + names;
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
     * @param kind the kind of fault
     * @param client the client that it affects, if it affects one
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

    /**
     * An operator changes the list of servers that vote, and calls the command again until the change has ended. A
     * client has the new list in its configuration before the change begins.
     *
     * @param number its number in the plan
     * @param kind what changes
     * @param chosen decides which server leaves, and whether that ends for good afterwards
     * @param newcomer the client with the new list
     * @param atNanos when the change begins
     * @param patienceNanos after how long the operator breaks the first command off
     * @param dies whether the process of the first command dies then
     */
    record Change(int number, ListChange kind, int chosen, int newcomer, long atNanos, long patienceNanos, boolean dies)
            implements Step {
        @Override
        public String toString() {
            return "an operator " + kind.verb() + " a server at " + millis(atNanos) + " (" + chosen + "), and "
                    + (dies ? "dies" : "breaks off") + " after " + millis(patienceNanos) + "; client-" + newcomer
                    + " has the new list";
        }
    }

    /**
     * A client trusts the servers to keep their data, while the others watch them.
     *
     * @param number its number in the plan
     * @param client which client
     */
    record Trust(int number, int client) implements Step {
        @Override
        public String toString() {
            return "client-" + client + " trusts the servers";
        }
    }

    static String millis(long nanos) {
        return nanos / 1_000_000 + " ms";
    }
}
