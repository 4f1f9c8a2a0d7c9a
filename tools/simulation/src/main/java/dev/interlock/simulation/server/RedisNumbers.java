// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Pattern;

/** Numbers as a Redis server reads and writes them. */
final class RedisNumbers {
    private static final Pattern INTEGER = Pattern.compile("0|-?[1-9]\\d{0,18}");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

    /** Doubles whose whole numbers are written without an exponent. */
    private static final double PLAIN = 1e17;

    private RedisNumbers() {}

    /** Reads an integer: no sign but minus, no leading zero, no space. */
    static long integer(String text) {
        if (!INTEGER.matcher(text).matches()) {
            throw new CommandException(CommandException.NOT_AN_INTEGER);
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new CommandException(CommandException.NOT_AN_INTEGER);
        }
    }

    /** Reads a score. */
    static double score(String text, String message) {
        switch (text.toLowerCase(Locale.ROOT)) {
            case "inf", "+inf", "infinity", "+infinity" -> {
                return Double.POSITIVE_INFINITY;
            }
            case "-inf", "-infinity" -> {
                return Double.NEGATIVE_INFINITY;
            }
            default -> {
                if (!DECIMAL.matcher(text).matches()) {
                    throw new CommandException(message);
                }
                return Double.parseDouble(text);
            }
        }
    }

    /** Reads the end of a range, for which a server allows leading spaces, and nothing for zero. */
    static double bound(String text, String message) {
        return text.isEmpty() ? 0 : score(text.stripLeading(), message);
    }

    /** Writes a score, or a number that a script hands to a command. */
    static String text(double number) {
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        if (number == Math.rint(number) && Math.abs(number) < PLAIN) {
            return Long.toString((long) number);
        }
        return new BigDecimal(number)
                .round(new MathContext(17, RoundingMode.HALF_EVEN))
                .stripTrailingZeros()
                .toString()
                .toLowerCase(Locale.ROOT);
    }
}
