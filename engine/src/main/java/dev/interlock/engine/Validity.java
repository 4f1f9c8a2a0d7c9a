// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Until when a grant is good, on both clocks.
 *
 * <p>The monotonic clock decides when a grant is over. It may stand still while the machine is suspended, so the wall clock can
 * withhold confidence until a renewal has shown that the grant is still there; a wall clock that was stepped does no more harm
 * than that.
 */
final class Validity {
    private final long deadlineNanos;
    private final long wallDeadlineMillis;
    private final long termNanos;

    private Validity(long deadlineNanos, long wallDeadlineMillis, long termNanos) {
        this.deadlineNanos = deadlineNanos;
        this.wallDeadlineMillis = wallDeadlineMillis;
        this.termNanos = termNanos;
    }

    /** A moment on both clocks, taken before a request is sent. */
    record Start(long nanos, long wallMillis) {
        static Start now(Environment env) {
            return new Start(env.nanoTime(), env.currentTimeMillis());
        }

        Validity plus(Duration duration) {
            return new Validity(nanos + duration.toNanos(), wallMillis + duration.toMillis(), duration.toNanos());
        }
    }

    /** The end on the monotonic clock. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    /** How long the grant was good for when it was given. */
    long termNanos() {
        return termNanos;
    }

    /** Whether the grant is over: a fact that time cannot undo. */
    boolean isOver(Environment env) {
        return env.nanoTime() - deadlineNanos >= 0;
    }

    /** How long the grant is good by both clocks, zero if one of them says that it is not. */
    long remainingNanos(Environment env) {
        long monotonic = deadlineNanos - env.nanoTime();
        long wall = TimeUnit.MILLISECONDS.toNanos(wallDeadlineMillis - env.currentTimeMillis());
        return Math.max(0, Math.min(monotonic, wall));
    }

    /** This validity, but with the other's end on the monotonic clock if that is later; the wall clock is trusted anew. */
    Validity notBefore(Validity other) {
        return deadlineNanos - other.deadlineNanos >= 0
                ? this
                : new Validity(other.deadlineNanos, wallDeadlineMillis, other.termNanos);
    }
}
