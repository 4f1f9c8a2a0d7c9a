// SPDX-License-Identifier: Apache-2.0
package dev.interlock.internal;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks and reads durations. Not exported: for the packages of this module alone. */
public final class Durations {
    private static final Pattern SHORT_FORM = Pattern.compile("(\\d{1,18})\\s*(ms|s|m|h|d)");

    private Durations() {}

    /**
     * Checks a duration.
     *
     * @param what what it is, for the message
     * @param value the duration
     * @param min the shortest that is allowed
     * @param max the longest that is allowed
     * @return the duration in whole milliseconds
     * @throws IllegalArgumentException if it lies outside the bounds
     */
    public static Duration toMillis(String what, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(what + " is " + value + ": it must lie between " + min + " and " + max);
        }
        return Duration.ofMillis(value.toMillis());
    }

    /**
     * Reads {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 1d} or ISO-8601 such as {@code PT30S}.
     *
     * @param text the duration as written
     * @return the duration
     * @throws IllegalArgumentException if it is written in no such way
     */
    public static Duration parse(String text) {
        Matcher matcher = SHORT_FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        try {
            if (!matcher.matches()) {
                return Duration.parse(text.strip());
            }
            long amount = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
        } catch (DateTimeParseException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "\"" + text
                            + "\" is no duration: write 500ms, 30s, 5m, 2h, 1d or an ISO-8601 duration such as PT30S",
                    e);
        }
    }
}
