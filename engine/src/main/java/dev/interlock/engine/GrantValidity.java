// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.threads.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The part of a {@link Grant} that knows its validity, here and on the backend. Fields are guarded by the cell's
 * monitor except where they are volatile.
 *
 * <p>The monotonic clock decides when a grant is over. It may stand still while the machine is suspended, so the wall
 * clock can withhold confidence until a renewal has shown that the grant is still there; a wall clock that was stepped
 * does no more harm than that.
 */
abstract class GrantValidity extends Timer.Entry {
    static final int RENEWALS_PER_LEASE = 3;

    /** The wall clock counts milliseconds, and may be slewed. */
    private static final long CLOCK_TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * Whether a renewal was sent that has no answer yet, so that the backend may keep the lock for longer than is known
     * here.
     */
    boolean renewalUnanswered;

    /**
     * The end of the validity by both clocks. The two are written one after the other; in between, the earlier of them
     * is the old end.
     */
    private volatile long deadlineNanos;

    private volatile long wallDeadlineMillis;

    /** The validity with which the grant was given. */
    private long termNanos;

    /** The time at which the backend last confirmed this grant, and the end that it confirmed. */
    private long confirmedNanos;

    private long keptUntilNanos;

    /** The time until which the backend may keep the lock, if requests without an answer were executed. */
    private long mayBeKeptUntilNanos;

    GrantValidity(Claim claim, Duration validity, long startNanos, long startMillis) {
        super((int) claim.number());
        mayBeKeptUntilNanos = startNanos;
        confirm(validity, claim.lease(), startNanos, startMillis);
    }

    /** Takes over the validity that the backend has confirmed. */
    final void confirm(Duration validity, Duration lease, long startNanos, long startMillis) {
        termNanos = validity.toNanos();
        confirmedNanos = startNanos;
        keptUntilNanos = startNanos + lease.toNanos();
        mayBeKept(keptUntilNanos);
        deadlineNanos = startNanos + termNanos;
        wallDeadlineMillis = startMillis + validity.toMillis();
    }

    /** Notes that the backend still keeps the lock, without extending the validity. */
    final void confirmWithoutExtending(Duration validity, long startNanos, long startMillis) {
        // The monotonic clock may have stood still, so it cannot show that the backend keeps the lock for longer than
        // was asked for now.
        long shownMillis = Math.max(wallDeadlineMillis, startMillis + validity.toMillis());
        wallDeadlineMillis =
                Math.min(shownMillis, startMillis + TimeUnit.NANOSECONDS.toMillis(deadlineNanos - startNanos));
        confirmedNanos = startNanos;
    }

    final long confirmedNanos() {
        return confirmedNanos;
    }

    /** Notes that the backend was asked to keep the lock until a moment, and may do so whatever it has answered. */
    final void mayBeKept(long untilNanos) {
        if (untilNanos - mayBeKeptUntilNanos > 0) {
            mayBeKeptUntilNanos = untilNanos;
        }
    }

    /** Returns whether the grant is over. Once true, stays true. */
    final boolean isOver(Environment env) {
        return env.nanoTime() - deadlineNanos >= 0;
    }

    /** How long the grant is valid by both clocks; zero if it is over by either. */
    final long remainingNanos(Environment env) {
        long monotonic = deadlineNanos - env.nanoTime();
        long wall = TimeUnit.MILLISECONDS.toNanos(wallDeadlineMillis - env.currentTimeMillis());
        return Math.max(0, Math.min(monotonic, wall));
    }

    /** Returns whether the wall clock says that the grant is over, though the monotonic one does not. */
    final boolean isDoubted(Environment env) {
        return remainingNanos(env) == 0 && deadlineNanos - env.nanoTime() > CLOCK_TOLERANCE_NANOS;
    }

    final long deadlineNanos() {
        return deadlineNanos;
    }

    /** The validity with which the grant was given. */
    final long termNanos() {
        return termNanos;
    }

    /**
     * The time to live that leaves the end on the backend where it is; positive, since any other would delete the lock.
     */
    final Duration lifeLeft(Environment env) {
        long left = TimeUnit.NANOSECONDS.toMillis(keptUntilNanos - env.nanoTime());
        return Duration.ofMillis(Math.max(0, left) + 1);
    }

    /** Returns whether a renewal was sent that has no answer yet. */
    final boolean isRenewalUnanswered() {
        return renewalUnanswered;
    }

    /** Returns whether the backend may keep the lock after the grant is over. */
    final boolean mayOutlive() {
        return renewalUnanswered || mayBeKeptUntilNanos - keptUntilNanos > 0;
    }

    /** Returns whether the backend has confirmed the grant within a renewal period and no clock doubts it. */
    final boolean isConfirmed(Environment env, LockOptions options) {
        long periodNanos = options.lease().toNanos() / RENEWALS_PER_LEASE;
        return env.nanoTime() - confirmedNanos <= periodNanos && !isDoubted(env);
    }

    /**
     * Returns whether enough is left for another holder: at least half of what the backend would grant it, and no more
     * than its lease, since others wait that long if the holder dies.
     */
    final boolean isGoodFor(Environment env, Duration lease) {
        return !renewalUnanswered
                && remainingNanos(env) >= Math.min(lease.toNanos(), termNanos) / 2
                && mayBeKeptUntilNanos - env.nanoTime() <= lease.toNanos();
    }
}
