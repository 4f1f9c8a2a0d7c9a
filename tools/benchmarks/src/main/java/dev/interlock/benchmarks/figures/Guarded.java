// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The data that a lock guards: a number that is read and written in two steps, so that two holders at once lose
 * updates.
 */
public final class Guarded {
    private final AtomicLong value = new AtomicLong();
    private final AtomicLong handOffs = new AtomicLong();
    private final AtomicLong lastHolder = new AtomicLong(-1);

    /** Adds one as the holder of the lock; slowly, to give a second holder the time to get in. */
    public void add(boolean slowly) {
        long found = value.get();
        long me = Thread.currentThread().getId();
        if (lastHolder.get() != me) {
            lastHolder.set(me);
            handOffs.incrementAndGet();
        }
        if (slowly) {
            Thread.yield();
        }
        value.set(found + 1);
    }

    public long value() {
        return value.get();
    }

    /** Returns how often the lock went to another thread than the one that had it last. */
    public long handOffs() {
        return handOffs.get();
    }
}
