// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Detects whether the machine stood still, for so long that a lease may not have been renewed in time. One thread
 * watches for all, since many rules may run at once.
 */
public final class Calm {
    /** The shortest time that counts as standing still: a fraction of the leases that the rules renew. */
    static final Duration STALL = Scale.RENEWED_LEASE.dividedBy(8);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final Watch WATCH = new Watch(System.nanoTime());

    static {
        Thread watch = new Thread(Calm::watch, "calm");
        watch.setDaemon(true);
        watch.start();
    }

    private final long sinceNanos = System.nanoTime();

    private static void watch() {
        while (true) {
            LockSupport.parkNanos(POLL_NANOS);
            WATCH.runs(System.nanoTime());
        }
    }

    /** Returns whether the machine has stood still since this was created. */
    public boolean isBroken() {
        return WATCH.isBroken(sinceNanos, System::nanoTime);
    }

    /** The observations of the watching thread. */
    static final class Watch {
        /** When the thread ran last. */
        private volatile long lastNanos;

        /** When it found, last, that it had stood still. Written before {@link #lastNanos}, and read after it. */
        private volatile long brokenNanos;

        Watch(long nowNanos) {
            brokenNanos = nowNanos;
            lastNanos = nowNanos;
        }

        void runs(long nowNanos) {
            if (nowNanos - lastNanos > STALL.toNanos()) {
                brokenNanos = nowNanos;
            }
            lastNanos = nowNanos;
        }

        boolean isBroken(long sinceNanos, LongSupplier clock) {
            long last = lastNanos;
            // When the machine goes on, the caller may run before the watching thread.
            return clock.getAsLong() - last > STALL.toNanos() || brokenNanos - sinceNanos > 0;
        }
    }
}
