// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.setnxgetset.WrittenTimestamps.Written;
import java.time.Duration;
import java.util.Optional;
import java.util.function.ToLongBiFunction;

/** Compares timestamps with a clock: the client's, or the server's. */
final class WallClock implements ExpiryClock {
    private final ToLongBiFunction<String, Duration> millis;
    private final Duration maxAhead;

    /**
     * Creates the clock.
     *
     * @param millis tells the time for a key, within a time-out
     */
    WallClock(ToLongBiFunction<String, Duration> millis, Duration maxAhead) {
        this.millis = millis;
        this.maxAhead = maxAhead;
    }

    @Override
    public long nowMillis(String key, Duration timeout) {
        return millis.applyAsLong(key, timeout);
    }

    @Override
    public Optional<Duration> left(String key, Timestamp seen, long nowMillis) {
        Duration ahead = Duration.ofMillis(seen.millis() - nowMillis);
        if (ahead.compareTo(maxAhead) > 0) {
            throw new LockBackendException(
                    Reason.REFUSED,
                    "key \"" + key + "\" says that the lock is taken for another " + ahead
                            + ", which is more than clock-max-ahead=" + maxAhead
                            + ": compare the clocks of its users, and their units; or delete the key if nobody holds the lock");
        }
        return ahead.isNegative() ? Optional.empty() : Optional.of(ahead);
    }

    @Override
    public Duration leaseUntil(TimestampFormat format, Written mine, long nowMillis) {
        return format.leaseUntil(mine.timestamp(), nowMillis);
    }
}
