// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
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
}
