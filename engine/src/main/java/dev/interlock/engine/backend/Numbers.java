// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Unique numbers. Threads draw from several sequences, so that they do not contend for one cache line. Safe to use from
 * any thread.
 */
final class Numbers {
    /** A power of two. */
    private static final int SEQUENCES = 8;

    /** The distance between sequences in memory: two cache lines of 64 bytes, since processors fetch them in pairs. */
    private static final int DISTANCE = 16;

    private final AtomicLongArray last = new AtomicLongArray((SEQUENCES + 1) * DISTANCE);

    /** Returns a positive number that was not returned before. */
    long next() {
        int sequence = (int) Thread.currentThread().getId() & SEQUENCES - 1;
        return last.incrementAndGet((sequence + 1) * DISTANCE) * SEQUENCES + sequence;
    }
}
