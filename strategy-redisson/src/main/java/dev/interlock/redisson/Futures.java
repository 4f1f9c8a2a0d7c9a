// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Uninterruptible waits. */
final class Futures {
    private Futures() {}

    /**
     * Blocks until the future is done, and returns whether it is; leaves the interrupt status set if an interrupt came.
     */
    static boolean await(Environment env, CompletableFuture<?> future, Duration timeout) {
        long end = env.nanoTime() + timeout.toNanos();
        Thread waiter = Thread.currentThread();
        future.whenComplete((value, failure) -> env.unpark(waiter));
        boolean interrupted = false;
        for (long left = timeout.toNanos(); left > 0 && !future.isDone(); left = end - env.nanoTime()) {
            env.park(future, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            waiter.interrupt();
        }
        return future.isDone();
    }
}
