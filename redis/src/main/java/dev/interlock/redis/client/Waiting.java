// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.engine.environment.Environment;
import java.util.concurrent.CompletableFuture;

/** Uninterruptible waits. */
public final class Waiting {
    private Waiting() {}

    /**
     * Blocks until the future is done or the deadline has passed; leaves the interrupt status set if an interrupt came.
     */
    public static void until(Environment env, CompletableFuture<?> future, Deadline deadline) {
        Thread waiter = Thread.currentThread();
        future.whenComplete((value, failure) -> env.unpark(waiter));
        boolean interrupted = false;
        for (long nanos = deadline.nanosLeft(); nanos > 0 && !future.isDone(); nanos = deadline.nanosLeft()) {
            env.park(future, nanos);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            waiter.interrupt();
        }
    }

    /** Blocks until the future is done; leaves the interrupt status set if an interrupt came. */
    public static void until(Environment env, CompletableFuture<?> future) {
        Thread waiter = Thread.currentThread();
        future.whenComplete((value, failure) -> env.unpark(waiter));
        boolean interrupted = false;
        while (!future.isDone()) {
            env.park(future, Long.MAX_VALUE);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            waiter.interrupt();
        }
    }
}
