// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Detects whether the machine stood still, for so long that a lease may not have been renewed in time. One thread
 * watches for all, since many rules may run at once.
 */
public final class Calm {
    /** The shortest time that counts as standing still: a fraction of the leases that the rules renew. */
    private static final Duration STALL = Scale.RENEWED_LEASE.dividedBy(8);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** When the watching thread ran last. */
    private static volatile long lastNanos = System.nanoTime();

    /** When it found, last, that the machine had stood still. Written before {@link #lastNanos}, and read after it. */
    private static volatile long brokenNanos = lastNanos;

    static {
        Thread watch = new Thread(Calm::watch, "calm");
        watch.setDaemon(true);
        watch.start();
    }

    private final long sinceNanos = System.nanoTime();

    private static void watch() {
        while (true) {
            LockSupport.parkNanos(POLL_NANOS);
            long now = System.nanoTime();
            if (now - lastNanos > STALL.toNanos()) {
                brokenNanos = now;
            }
            lastNanos = now;
        }
    }

    /** Returns whether the machine has stood still since this was created. */
    public boolean isBroken() {
        long last = lastNanos;
        // When the machine goes on, the caller may run before the watching thread.
        return System.nanoTime() - last > STALL.toNanos() || brokenNanos - sinceNanos > 0;
    }
}
