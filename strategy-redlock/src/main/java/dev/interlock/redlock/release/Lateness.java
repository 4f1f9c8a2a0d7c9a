// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Whether releases wait for a node that leads their locks. If it was too late for one, those that follow do not wait,
 * but for one release in two seconds, of whichever thread, which tries again. Safe to use from any thread.
 */
public final class Lateness {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LongSupplier nanoTime;

    /** When the next release waits. Counts only while the node is late. */
    private final AtomicLong nextTryNanos = new AtomicLong();

    private volatile boolean late;

    /**
     * Creates one of a node that was never late.
     *
     * @param nanoTime the monotonic clock
     */
    public Lateness(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Notes that the node has not answered a release in time, which then ended without it. */
    public void noteLate() {
        nextTryNanos.set(nanoTime.getAsLong() + PAUSE_NANOS);
        late = true;
    }

    /** Notes that the node has answered a release that waited for it. */
    public void noteInTime() {
        late = false;
    }

    /**
     * Asks whether a release is to wait for the node though a majority has confirmed it.
     *
     * @return {@code true} if it is to wait, and then say whether the node answered in time
     */
    public boolean isAwaited() {
        if (!late) {
            return true;
        }
        long next = nextTryNanos.get();
        long now = nanoTime.getAsLong();
        return now - next >= 0 && nextTryNanos.compareAndSet(next, now + PAUSE_NANOS);
    }
}
