// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import java.util.function.UnaryOperator;

/**
 * Functions from the name of a lock to its group. Metrics and observations distinguish locks by group, because names
 * are often many ({@code invoice:42}) and each would create its own time series.
 */
public final class LockGroups {
    /** The group of all locks if no function is given: {@value}. */
    public static final String ALL = "all";

    /** The group of locks for which a function has no answer, or one answer too many: {@value}. */
    public static final String OTHER = "other";

    private LockGroups() {}

    /**
     * Puts all locks into one group, {@value #ALL}.
     *
     * @return the function
     */
    public static UnaryOperator<String> all() {
        return name -> ALL;
    }

    /**
     * Groups locks by the part of their names before a separator: with {@code ":"}, the group of {@code invoice:42} is
     * {@code invoice}. A name without the separator, or that begins with it, belongs to the group {@value #OTHER}.
     *
     * @param separator the separator, of which the first one in a name counts
     * @return the function
     * @throws IllegalArgumentException if the separator is empty
     */
    public static UnaryOperator<String> before(String separator) {
        if (separator.isEmpty()) {
            throw new IllegalArgumentException("an empty separator: name what ends the group in the name of a lock");
        }
        return name -> {
            int end = name.indexOf(separator);
            return end > 0 ? name.substring(0, end) : OTHER;
        };
    }
}
