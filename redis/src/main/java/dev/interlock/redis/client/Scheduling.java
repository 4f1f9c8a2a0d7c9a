// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.engine.environment.Environment;
import java.util.concurrent.TimeUnit;

/** Measures whether this JVM gets enough processor time for a slow reply to be the server's fault. */
final class Scheduling {
    private static final int STEPS = 20;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long EXPECTED_MILLIS = TimeUnit.NANOSECONDS.toMillis(STEPS * STEP_NANOS);

    /** A factor above the usual delay of a thread on a machine that is not overloaded. */
    private static final int STARVED = 2;

    private Scheduling() {}

    /**
     * Measures how late the current thread is woken, which takes 20 milliseconds.
     *
     * @return words to append to the message of a time-out if it is this JVM that is slow, or else an empty text
     */
    static String excuse(Environment env) {
        long begin = env.nanoTime();
        for (int i = 0; i < STEPS; i++) {
            env.park(Scheduling.class, STEP_NANOS);
        }
        long tookMillis = TimeUnit.NANOSECONDS.toMillis(env.nanoTime() - begin);
        return tookMillis < STARVED * EXPECTED_MILLIS
                ? ""
                : "; but this JVM is slow itself, a pause of " + EXPECTED_MILLIS + " ms took " + tookMillis
                        + " ms: give it more processor time before you blame the server";
    }
}
