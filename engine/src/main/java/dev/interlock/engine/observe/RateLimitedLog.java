// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Logs a problem at its first occurrence, then at most once a minute with the number of occurrences. Safe to use from any thread. */
final class RateLimitedLog {
    private static final System.Logger LOG = System.getLogger(RateLimitedLog.class.getPackageName());
    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final LongFunction<String> message;

    private final ReentrantLock mutex = new ReentrantLock();
    private long unlogged;
    private boolean loggedBefore;
    private long loggedAtNanos;

    /**
     * Makes a log of one kind of problem.
     *
     * @param message makes the message from the number of occurrences since the last message
     */
    RateLimitedLog(LongSupplier nanoTime, LongFunction<String> message) {
        this.nanoTime = nanoTime;
        this.message = message;
    }

    void add(@Nullable Throwable cause) {
        long count;
        mutex.lock();
        try {
            unlogged++;
            long now = nanoTime.getAsLong();
            if (loggedBefore && now - loggedAtNanos < PERIOD_NANOS) {
                return;
            }
            loggedBefore = true;
            loggedAtNanos = now;
            count = unlogged;
            unlogged = 0;
        } finally {
            mutex.unlock();
        }
        LOG.log(System.Logger.Level.WARNING, message.apply(count), cause);
    }
}
