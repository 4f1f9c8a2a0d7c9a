// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The clocks at a reply of the lead. They relate the lead's clock to the clocks of this process.
 *
 * @param lead the node
 * @param nanos the monotonic clock of this process before the request was sent
 * @param wallMillis its wall clock at that moment, which goes on while the machine is suspended
 * @param epoch the number of the subscription to that node at that moment
 * @param micros the clock of the node when it answered
 * @param answeredNanos the monotonic clock of this process after the answer
 */
public record LeadReply(int lead, long nanos, long wallMillis, int epoch, long micros, long answeredNanos) {
    /** The wall clock counts milliseconds, and may be slewed. */
    private static final long WALL_TOLERANCE_MILLIS = 20;

    /** The tolerance for a server's clock that is behind when a script begins, or is slewed in between. */
    private static final long TOLERANCE_MICROS = 2_000;

    /**
     * Converts a deadline.
     *
     * @param deadlineMicros a moment by the clock of the lead
     * @param drift the part of a time by which clocks may differ
     * @param env the clocks of this process
     * @return a moment by the monotonic clock of this process that is not later
     */
    public long endNanos(long deadlineMicros, double drift, Environment env) {
        long left = TimeUnit.MICROSECONDS.toNanos(deadlineMicros - micros);
        long leftHere = left - (long) Math.ceil(Math.max(0, left) * drift);
        long suspended = Math.max(
                0,
                Duration.ofMillis(env.currentTimeMillis() - wallMillis).toNanos()
                        - (env.nanoTime() - nanos)
                        - TimeUnit.MILLISECONDS.toNanos(WALL_TOLERANCE_MILLIS));
        return nanos + leftHere - suspended;
    }

    /**
     * Returns the least that the clock of the lead shows now, unless it was set back.
     *
     * @param nowNanos a later moment by the monotonic clock of this process
     * @param drift the part of a time by which clocks may differ
     * @return the least that it shows then, in µs
     */
    public long leastMicros(long nowNanos, double drift) {
        long since = nowNanos - answeredNanos;
        return micros + TimeUnit.NANOSECONDS.toMicros(since - (long) Math.ceil(since * drift)) - TOLERANCE_MICROS;
    }
}
