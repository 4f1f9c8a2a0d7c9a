// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Notices whether this machine stands still, which no lease that is to be renewed in time can survive. */
public final class Calm implements AutoCloseable {
    /** What is too long; a fraction of the leases that are renewed. */
    private static final Duration STALL = Scale.RENEWED_LEASE.dividedBy(8);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private volatile boolean broken;
    private volatile boolean closed;

    public Calm() {
        Thread watch = new Thread(this::watch, "calm");
        watch.setDaemon(true);
        watch.start();
    }

    private void watch() {
        long last = System.nanoTime();
        while (!closed) {
            LockSupport.parkNanos(POLL_NANOS);
            long now = System.nanoTime();
            broken |= now - last > STALL.toNanos();
            last = now;
        }
    }

    /** Whether there was a time in which a thread that wanted to run did not. */
    public boolean isBroken() {
        return broken;
    }

    @Override
    public void close() {
        closed = true;
    }
}
