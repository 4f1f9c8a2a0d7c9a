// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Detects whether the machine stood still, for so long that a lease may not have been renewed in time. */
public final class Calm implements AutoCloseable {
    /** The shortest time that counts as standing still: a fraction of the leases that the rules renew. */
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

    /** Returns whether the machine has stood still since this was created. */
    public boolean isBroken() {
        return broken;
    }

    @Override
    public void close() {
        closed = true;
    }
}
