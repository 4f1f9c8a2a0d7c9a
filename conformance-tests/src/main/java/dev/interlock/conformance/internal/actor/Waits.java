// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How a test waits: until a condition holds, for as long as a condition must hold, or, if there is nothing to observe,
 * for a time.
 */
public final class Waits {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int POLLS = 50;

    /** A thread that parks wakes up about so much too late, if a processor is free. */
    private static final long PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private Waits() {}

    /** Waits until a condition holds, and fails if it does not hold in time. */
    public static void eventually(String what, BooleanSupplier condition) {
        assertTrue(inTime(condition), () -> "not in " + Scale.PATIENCE + ": " + what);
    }

    /** Waits until a condition holds, and returns whether it did in time. */
    public static boolean inTime(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = System.nanoTime() - start;
            if (waited >= Scale.PATIENCE.toNanos()) {
                return false;
            }
            // Polls less often as it waits longer: many broken rules may be waiting at the same time.
            LockSupport.parkNanos(Math.min(Math.max(POLL_NANOS, waited / POLLS), MAX_POLL_NANOS));
        }
        return true;
    }

    /** Checks a condition for a time, and fails as soon as it does not hold. */
    public static void always(String what, Duration time, BooleanSupplier condition) {
        long until = System.nanoTime() + time.toNanos();
        do {
            assertTrue(condition.getAsBoolean(), what);
            LockSupport.parkNanos(POLL_NANOS);
        } while (System.nanoTime() - until < 0);
    }

    /** Lets time pass, for example until a lease has run out. Never used to wait for something that can be observed. */
    public static void pass(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        long left = time.toNanos();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = until - System.nanoTime();
        }
    }

    /** Lets a time pass that a sleep would exceed. Takes the processor for the end of it alone. */
    public static void spin(long nanos) {
        long until = System.nanoTime() + nanos;
        if (nanos > 2 * PARK_NANOS) {
            LockSupport.parkNanos(nanos - 2 * PARK_NANOS);
        }
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }
}
