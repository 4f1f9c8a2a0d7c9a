// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Measures for how long the machine has stood still: for how long it has kept a thread of the lab from running. */
final class Heartbeat implements AutoCloseable {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private long last;
    private long longest;
    private volatile boolean closed;

    /** Creates a heartbeat that beats only as it is told. */
    Heartbeat(long nanos) {
        last = nanos;
    }

    /** Starts a heartbeat that beats until it is closed. */
    static Heartbeat start() {
        Heartbeat heartbeat = new Heartbeat(System.nanoTime());
        Thread thread = new Thread(heartbeat::run, "lab-heartbeat");
        thread.setDaemon(true);
        thread.start();
        return heartbeat;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(INTERVAL_NANOS);
            beat(System.nanoTime());
        }
    }

    synchronized void beat(long nanos) {
        longest = Math.max(longest, nanos - last);
        last = nanos;
    }

    /** Returns the longest time from one beat to the next. */
    synchronized Duration longestStandstill() {
        return Duration.ofNanos(longest);
    }

    @Override
    public void close() {
        closed = true;
    }
}
