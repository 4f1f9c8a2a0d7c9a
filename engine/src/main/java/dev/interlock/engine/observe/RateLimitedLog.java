// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs a problem at its first occurrence, then at most once a minute with the number of occurrences. Never throws. Safe
 * to use from any thread.
 */
final class RateLimitedLog {
    private static final QuietLog LOG = QuietLog.of(RateLimitedLog.class);
    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final LongFunction<String> message;

    private final Object lock = new Object();
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
        try {
            long count = count();
            if (count > 0) {
                LOG.log(System.Logger.Level.WARNING, message.apply(count), cause);
            }
        } catch (Throwable e) {
            // Logging failed; the next occurrence tries again.
        }
    }

    /** Counts an occurrence; returns how many are to be logged now, possibly none. */
    private long count() {
        synchronized (lock) {
            unlogged++;
            long now = nanoTime.getAsLong();
            if (loggedBefore && now - loggedAtNanos < PERIOD_NANOS) {
                return 0;
            }
            loggedBefore = true;
            loggedAtNanos = now;
            long count = unlogged;
            unlogged = 0;
            return count;
        }
    }
}
