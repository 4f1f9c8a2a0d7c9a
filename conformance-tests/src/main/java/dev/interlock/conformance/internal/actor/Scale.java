// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import java.time.Duration;

/** The times of the kit. The system property {@value #PROPERTY}, 1 unless set, multiplies them all. */
public final class Scale {
    public static final String PROPERTY = "interlock.conformance.factor";

    private static final double FACTOR = factor(System.getProperty(PROPERTY, "1"));

    /**
     * The bound of every wait for something that must happen. It is long, because only a broken rule waits for all of
     * it.
     */
    public static final Duration PATIENCE = of(Duration.ofSeconds(10));

    /** The bound of a whole rule. */
    public static final Duration RULE_TIMEOUT = of(Duration.ofMinutes(3));

    /**
     * A lease that no test outlives. A lock that was handed over may have a shorter lease until it is renewed for the
     * first time, so a rule must not take for granted that a waiter holds it until it unlocks: a machine that stands
     * still for seconds ends it.
     */
    public static final Duration LONG_LEASE = of(Duration.ofMinutes(2));

    /** A lease without renewal, short enough that a test waits for its end. */
    public static final Duration SHORT_LEASE = of(Duration.ofMillis(300));

    /** A lease that must be renewed in time on a busy machine, and that a test outlives. */
    public static final Duration RENEWED_LEASE = of(Duration.ofSeconds(1));

    private Scale() {}

    public static Duration millis(long millis) {
        return of(Duration.ofMillis(millis));
    }

    private static Duration of(Duration unscaled) {
        return Duration.ofNanos(Math.round(unscaled.toNanos() * FACTOR));
    }

    private static double factor(String value) {
        try {
            double factor = Double.parseDouble(value);
            if (factor > 0 && factor <= 1000) {
                return factor;
            }
        } catch (NumberFormatException e) {
            // Reported below, for all values that cannot be used.
        }
        throw new IllegalArgumentException(PROPERTY + " is \"" + value
                + "\": give a number above 0, such as 2 for a machine that is half as fast");
    }
}
