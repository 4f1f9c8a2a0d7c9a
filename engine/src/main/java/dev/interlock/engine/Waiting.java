// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * How long one acquisition waits, and what an interrupt does to it. The only class that reads a thread's interrupt status.
 *
 * <p>The status is cleared while the acquisition runs, so that it disturbs no I/O, and what came meanwhile is kept here: to be
 * thrown, or to be set again at the end. Used by one thread.
 */
final class Waiting {
    private final Environment env;
    private final boolean interruptible;
    private final boolean bounded;
    private final long deadlineNanos;
    private boolean interrupted;

    private Waiting(Environment env, boolean interruptible, boolean bounded, long waitNanos) {
        this.env = env;
        this.interruptible = interruptible;
        this.bounded = bounded;
        this.deadlineNanos = env.nanoTime() + Math.max(0, waitNanos);
    }

    static Waiting uninterruptibly(Environment env) {
        return new Waiting(env, false, false, 0);
    }

    static Waiting interruptibly(Environment env) {
        return new Waiting(env, true, false, 0);
    }

    static Waiting notAtAll(Environment env) {
        return new Waiting(env, false, true, 0);
    }

    /** An interruptible wait; one that the clock cannot count is one without a bound. */
    static Waiting atMost(Environment env, long nanos) {
        return new Waiting(env, true, nanos < Long.MAX_VALUE / 2, nanos);
    }

    static Waiting atMost(Environment env, Duration wait) {
        long nanos;
        try {
            nanos = wait.toNanos();
        } catch (ArithmeticException e) {
            nanos = wait.isNegative() ? 0 : Long.MAX_VALUE;
        }
        return atMost(env, nanos);
    }

    /** Runs something that must not be disturbed by an interrupt, and preserves the interrupt status. */
    static <T> T undisturbed(Supplier<T> action) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return action.get();
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Takes over the interrupt status on entry. */
    void begin() throws InterruptedException {
        takeInterrupt();
        throwIfInterrupted();
    }

    /** Hands an interrupt that nobody was told of back to the thread. */
    void end() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Notes an interrupt that came meanwhile. */
    void takeInterrupt() {
        interrupted |= Thread.interrupted();
    }

    /** Whether an interrupt has come that ends this wait. */
    boolean isEndedByInterrupt() {
        return interruptible && interrupted;
    }

    void throwIfInterrupted() throws InterruptedException {
        if (isEndedByInterrupt()) {
            interrupted = false;
            throw new InterruptedException();
        }
    }

    boolean isTimeOver() {
        return bounded && env.nanoTime() - deadlineNanos >= 0;
    }

    /** Blocks until unparked, at most the given time and what is left of the wait. May return at any time. */
    void park(Object blocker, long nanos) {
        long left = bounded ? Math.min(nanos, deadlineNanos - env.nanoTime()) : nanos;
        if (left > 0) {
            env.park(blocker, left);
            takeInterrupt();
        }
    }
}
