// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Polls for state that servers reach among themselves without a notification. */
final class Polling {
    /** Long enough for any machine: only a broken set-up reaches it. */
    private static final long LIMIT_SECONDS = 60;

    private static final long PERIOD_NANOS = 10_000_000;

    private Polling() {}

    /**
     * Waits until a condition holds. A condition that throws a {@link RedisServerException} does not hold yet.
     *
     * @param what the condition in words, for the error
     * @param state the servers' present state, for the error
     * @param condition the condition
     * @throws RedisServerException if it does not hold within a minute
     */
    static void until(String what, Supplier<String> state, BooleanSupplier condition) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (true) {
            RedisServerException error = null;
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (RedisServerException e) {
                error = e;
            }
            if (System.nanoTime() - giveUp >= 0) {
                throw failed(what, state, error);
            }
            LockSupport.parkNanos(PERIOD_NANOS);
        }
    }

    private static RedisServerException failed(
            String what, Supplier<String> state, @Nullable RedisServerException cause) {
        return new RedisServerException(
                "waited " + LIMIT_SECONDS + " s in vain until " + what + "; the servers say:\n" + state.get(), cause);
    }
}
