// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** How a test waits: for what must become so, for as long as something must stay so, and, where nothing can be seen, for a time. */
public final class Waits {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int POLLS = 50;

    private Waits() {}

    /** Waits until something is so, and fails if it is not in time. */
    public static void eventually(String what, BooleanSupplier condition) {
        assertTrue(inTime(condition), () -> "not in " + Scale.PATIENCE + ": " + what);
    }

    /** Waits until something is so, and tells whether it was in time. */
    public static boolean inTime(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = System.nanoTime() - start;
            if (waited >= Scale.PATIENCE.toNanos()) {
                return false;
            }
            // What has taken long may be seen a little later: many rules that are broken wait side by side.
            LockSupport.parkNanos(Math.min(Math.max(POLL_NANOS, waited / POLLS), MAX_POLL_NANOS));
        }
        return true;
    }

    /** Fails as soon as something is not so, in a while that is given to it. */
    public static void always(String what, Duration time, BooleanSupplier condition) {
        long until = System.nanoTime() + time.toNanos();
        do {
            assertTrue(condition.getAsBoolean(), what);
            LockSupport.parkNanos(POLL_NANOS);
        } while (System.nanoTime() - until < 0);
    }

    /** Lets time pass, as where a lease must run out; never in order to wait for something that could be seen. */
    public static void pass(Duration time) {
        always("time passes", time, () -> true);
    }
}
