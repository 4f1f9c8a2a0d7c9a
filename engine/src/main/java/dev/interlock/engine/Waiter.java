// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import org.jspecify.annotations.Nullable;

/** A thread in the local queue of a cell. Its fields are guarded by the cell's mutex except where they are volatile. */
final class Waiter {
    enum State {
        /** In the queue. */
        QUEUED,
        /** Out of the queue: this thread now talks to the backend for the cell. */
        CONTENDER,
        /** Out of the queue: a holder has handed its grant over. */
        GRANTED,
        /** Out of the queue: whoever talked to the backend has given up for all. */
        FAILED
    }

    final Thread thread;
    final Owner owner;
    final LockOptions options;
    volatile State state = State.QUEUED;

    @Nullable
    Tenure tenure;

    @Nullable
    RuntimeException failure;

    /** The signals that the cell had seen before a local holder freed the lock, if others are to have their chance first. */
    @Nullable
    Integer yieldSince;

    Waiter(Thread thread, Owner owner, LockOptions options) {
        this.thread = thread;
        this.owner = owner;
        this.options = options;
    }
}
