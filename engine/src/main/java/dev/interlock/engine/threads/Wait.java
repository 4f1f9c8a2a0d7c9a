// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The time limit of one acquisition, and the effect of interrupts on it. The only class that reads the interrupt status
 * of the application's threads.
 *
 * <p>The status is cleared while the acquisition runs, so that it disturbs no I/O. An interrupt that comes meanwhile is
 * kept here, and is thrown or set again at the end. Used by one thread.
 */
public final class Wait {
    private final Environment env;
    private final boolean interruptible;
    private final boolean bounded;
    private final long deadlineNanos;
    private boolean interrupted;
    private boolean answered;

    private Wait(Environment env, boolean interruptible, boolean bounded, long waitNanos) {
        this.env = env;
        this.interruptible = interruptible;
        this.bounded = bounded;
        this.deadlineNanos = bounded ? env.nanoTime() + Math.max(0, waitNanos) : 0;
    }

    public static Wait uninterruptibly(Environment env) {
        return new Wait(env, false, false, 0);
    }

    public static Wait interruptibly(Environment env) {
        return new Wait(env, true, false, 0);
    }

    public static Wait notAtAll(Environment env) {
        return new Wait(env, false, true, 0);
    }

    /** Returns an interruptible wait. A time too long for the clock means no limit. */
    public static Wait atMost(Environment env, long nanos) {
        return new Wait(env, true, nanos < Long.MAX_VALUE / 2, nanos);
    }

    public static Wait atMost(Environment env, Duration wait) {
        long nanos;
        try {
            nanos = wait.toNanos();
        } catch (ArithmeticException e) {
            nanos = wait.isNegative() ? 0 : Long.MAX_VALUE;
        }
        return atMost(env, nanos);
    }

    /** Runs code that an interrupt must not disturb, and preserves the interrupt status. */
    public static <T> T undisturbed(Supplier<T> action) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return action.get();
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Clears the interrupt status and remembers it; throws if it ends this wait. */
    public void begin() throws InterruptedException {
        takeInterrupt();
        throwIfInterrupted();
    }

    /** Sets the interrupt status again if there was an interrupt that was not thrown. */
    public void end() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Clears the interrupt status and remembers it. */
    public void takeInterrupt() {
        interrupted |= Thread.interrupted();
    }

    /** Returns whether an interrupt ends this wait. */
    public boolean isEndedByInterrupt() {
        return interruptible && interrupted;
    }

    public void throwIfInterrupted() throws InterruptedException {
        if (isEndedByInterrupt()) {
            interrupted = false;
            throw new InterruptedException();
        }
    }

    public boolean isTimeOver() {
        return bounded && env.nanoTime() - deadlineNanos >= 0;
    }

    /** Notes that the backend has answered this acquisition, for one of its names. */
    public void noteAnswer() {
        answered = true;
    }

    /**
     * Returns whether the backend has answered for a name before, so that an outage meets an acquisition that waits
     * already.
     */
    public boolean isAnswered() {
        return answered;
    }

    /** Returns whether the time or an interrupt has ended this wait. */
    public boolean isOver() {
        return isEndedByInterrupt() || isTimeOver();
    }

    /**
     * How long a wait that is over may take to release what it has: until one command time-out after the end of its
     * time, however long its last request took. Zero or negative if nothing is left.
     */
    public Duration leftForRelease(Duration timeout) {
        long overdueNanos = bounded ? Math.max(0, env.nanoTime() - deadlineNanos) : 0;
        return timeout.minusNanos(overdueNanos);
    }

    /** Blocks until unparked, at most the given time and what is left of the wait. May return at any time. */
    public void park(Object blocker, long nanos) {
        long left = bounded ? Math.min(nanos, deadlineNanos - env.nanoTime()) : nanos;
        if (left > 0) {
            env.park(blocker, left);
            takeInterrupt();
        }
    }
}
