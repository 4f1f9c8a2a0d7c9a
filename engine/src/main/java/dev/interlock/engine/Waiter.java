// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A thread in the local queue of a cell. Its fields are guarded by the cell's monitor except where they are volatile. */
final class Waiter {
    enum State {
        /** In the queue. */
        QUEUED,
        /** Out of the queue: this thread now asks the backend for the cell. */
        CONTENDER,
        /** Out of the queue: a holder has handed its grant over. */
        GRANTED,
        /** Out of the queue: whoever asked the backend has given up for all. */
        FAILED
    }

    final Thread thread;

    /** Whether the thread is to hold the lock; otherwise a handle is. */
    final boolean forThread;

    final LockOptions options;
    volatile State state = State.QUEUED;

    @Nullable
    Hold hold;

    @Nullable
    RuntimeException failure;

    /** The signals that the cell had seen before a local holder freed the lock, if clients elsewhere are to have their chance first. */
    @Nullable
    Integer yieldSince;

    Waiter(Thread thread, boolean forThread, LockOptions options) {
        this.thread = thread;
        this.forThread = forThread;
        this.options = options;
    }

    /** The threads that wait in a cell, first come first. Guarded by the cell's monitor. */
    static final class Queue {
        private final Set<Waiter> waiters = new LinkedHashSet<>();

        int size() {
            return waiters.size();
        }

        @Nullable
        Waiter first() {
            return waiters.isEmpty() ? null : waiters.iterator().next();
        }

        List<Waiter> all(Predicate<Waiter> which) {
            return waiters.stream().filter(which).toList();
        }

        void add(Waiter waiter) {
            waiters.add(waiter);
        }

        /** Takes a waiter out; returns {@code false} if it was not in. */
        boolean remove(Waiter waiter) {
            return waiters.remove(waiter);
        }
    }
}
