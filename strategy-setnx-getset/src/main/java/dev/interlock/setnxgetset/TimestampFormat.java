// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text form of timestamps: Unix time plus the lease plus one, in seconds or milliseconds.
 *
 * <p>If fractions are allowed, the digits behind the point are the milliseconds of a time in seconds, the lease in
 * milliseconds, and random digits that make the timestamp unique.
 *
 * @param seconds whether the unit is a second rather than a millisecond
 * @param fraction whether there are digits behind the point
 */
record TimestampFormat(boolean seconds, boolean fraction) {
    private static final Pattern SHAPE = Pattern.compile("(\\d{1,15})(?:\\.(\\d{1,60}))?");
    private static final int MILLI_DIGITS = 3;
    private static final int LEASE_DIGITS = 9;
    private static final int UNIQUE_DIGITS = 12;
    private static final long UNIQUE_BOUND = 1_000_000_000_000L;

    /** A time before Redis existed: an earlier value is in another unit, or no time at all. */
    private static final long EARLIEST_MILLIS =
            Instant.parse("2009-01-01T00:00:00Z").toEpochMilli();

    String unit() {
        return seconds ? "seconds" : "milliseconds";
    }

    private int unitMillis() {
        return seconds ? 1000 : 1;
    }

    private int millisBehindPoint() {
        return seconds ? MILLI_DIGITS : 0;
    }

    /** Returns the timestamp of a lease that begins at a time in milliseconds since the epoch. */
    Timestamp write(long nowMillis, Duration lease, Environment env) {
        long unit = unitMillis();
        long end = nowMillis + lease.toMillis() + unit;
        if (!fraction) {
            // Rounded up, so that no client sees an early end.
            long units = (end + unit - 1) / unit;
            return new Timestamp(Long.toString(units), units * unit, Optional.empty());
        }
        String digits = padded(end % unit, millisBehindPoint())
                + padded(lease.toMillis(), LEASE_DIGITS)
                + padded(env.nextLong(UNIQUE_BOUND), UNIQUE_DIGITS);
        return new Timestamp(end / unit + "." + digits, end, Optional.of(lease));
    }

    /** Returns the lease which, written at the given time, has the same end as a timestamp. */
    Duration leaseUntil(Timestamp timestamp, long nowMillis) {
        return Duration.ofMillis(timestamp.millis() - nowMillis - unitMillis());
    }

    private static String padded(long number, int digits) {
        return digits == 0 ? "" : String.format("%0" + digits + "d", number);
    }

    /** Parses the value of a key. Returns empty if it is no time at which a lock could end. */
    Optional<Timestamp> read(String text) {
        Matcher matcher = SHAPE.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String behindPoint = matcher.group(2) == null ? "" : matcher.group(2);
        int subUnits = millisBehindPoint();
        long millis = Long.parseLong(matcher.group(1)) * unitMillis();
        if (subUnits > 0) {
            millis += Long.parseLong((behindPoint + "0".repeat(subUnits)).substring(0, subUnits));
        }
        if (millis < EARLIEST_MILLIS) {
            return Optional.empty();
        }
        boolean ours = behindPoint.length() == subUnits + LEASE_DIGITS + UNIQUE_DIGITS;
        Optional<Duration> lease = ours
                ? Optional.of(
                        Duration.ofMillis(Long.parseLong(behindPoint.substring(subUnits, subUnits + LEASE_DIGITS))))
                : Optional.empty();
        return Optional.of(new Timestamp(text, millis, lease));
    }
}
