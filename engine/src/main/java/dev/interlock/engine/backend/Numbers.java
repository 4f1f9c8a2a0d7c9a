// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers that are all different. Threads draw from several sequences, so that they do not wait for the same line of the processor's
 * cache. Safe to use from any thread.
 */
final class Numbers {
    /** A power of two. */
    private static final int SEQUENCES = 8;

    /** How far apart the sequences are in memory: two lines of 64 bytes, since processors fetch them in pairs. */
    private static final int DISTANCE = 16;

    private final AtomicLongArray last = new AtomicLongArray((SEQUENCES + 1) * DISTANCE);

    /** Returns a positive number that was not returned before. */
    long next() {
        int sequence = (int) Thread.currentThread().getId() & SEQUENCES - 1;
        return last.incrementAndGet((sequence + 1) * DISTANCE) * SEQUENCES + sequence;
    }
}
