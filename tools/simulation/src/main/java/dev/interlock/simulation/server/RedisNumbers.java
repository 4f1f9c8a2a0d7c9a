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

    /** The digits of a double that tell it from all others, and with which Redis 7.0 writes each. */
    private static final int ALL_DIGITS = 17;

    /** Redis 7.0 writes whole numbers below this one without an exponent. */
    private static final double REDIS_INTEGERS = 1e17;

    /** So does Valkey below this one. */
    private static final double VALKEY_INTEGERS = 0x1p62;

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

    /** Reads the end of a range, for which a server allows nothing for zero, and Redis leading spaces. */
    static double bound(String text, String message, Flavour flavour) {
        return text.isEmpty() ? 0 : score(flavour == Flavour.REDIS_7 ? text.stripLeading() : text, message);
    }

    /** Writes a score, or a number that a script hands to a command. */
    static String text(double number, Flavour flavour) {
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        double integers = flavour == Flavour.REDIS_7 ? REDIS_INTEGERS : VALKEY_INTEGERS;
        if (number == Math.rint(number) && Math.abs(number) < integers) {
            // A small set keeps whole numbers as integers, so that there is no negative zero.
            return Long.toString((long) number);
        }
        if (flavour == Flavour.REDIS_7) {
            BigDecimal rounded = rounded(number, ALL_DIGITS, RoundingMode.HALF_EVEN);
            int exponent = exponent(rounded);
            return exponent < -4 || exponent >= ALL_DIGITS ? scientific(rounded, 2) : rounded.toPlainString();
        }
        BigDecimal shortest = shortest(number);
        int exponent = Math.abs(exponent(shortest));
        // A negative scale counts the zeros at the end of a whole number.
        boolean plain =
                shortest.scale() <= 0 ? exponent < shortest.precision() + 7 : shortest.scale() < 7 || exponent < 4;
        return plain ? shortest.toPlainString() : scientific(shortest, 1);
    }

    private static BigDecimal rounded(double number, int digits, RoundingMode mode) {
        return new BigDecimal(number).round(new MathContext(digits, mode)).stripTrailingZeros();
    }

    /** Returns the number with the fewest digits that is read as a double. */
    private static BigDecimal shortest(double number) {
        int digits = 1;
        while (digits < ALL_DIGITS
                && rounded(number, digits, RoundingMode.HALF_UP).doubleValue() != number) {
            digits++;
        }
        return rounded(number, digits, RoundingMode.HALF_UP);
    }

    private static int exponent(BigDecimal number) {
        return number.precision() - number.scale() - 1;
    }

    /** Writes a number with one digit before its point, and so many digits of its exponent at least: one or two. */
    private static String scientific(BigDecimal number, int digitsOfExponent) {
        String digits = number.unscaledValue().abs().toString();
        int exponent = exponent(number);
        String size = Integer.toString(Math.abs(exponent));
        return (number.signum() < 0 ? "-" : "")
                + digits.charAt(0)
                + (digits.length() > 1 ? "." + digits.substring(1) : "")
                + (exponent < 0 ? "e-" : "e+")
                + (size.length() < digitsOfExponent ? "0" : "")
                + size;
    }
}
