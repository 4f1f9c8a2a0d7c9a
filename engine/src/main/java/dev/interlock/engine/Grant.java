// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.threads.Timer;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the backend has given: a claim that holds the lock, until when, and the fencing tokens that came with it. It passes from
 * hold to hold when the lock is handed over locally, and is the entry of the timer for its next renewal or its end. Fields are
 * guarded by the cell's monitor except where they are volatile.
 *
 * <p>The monotonic clock decides when a grant is over. It may stand still while the machine is suspended, so the wall clock can
 * withhold confidence until a renewal has shown that the grant is still there; a wall clock that was stepped does no more harm
 * than that.
 */
final class Grant extends Timer.Entry {
    private static final int RENEWALS_PER_LEASE = 3;
    private static final int RETRIES_PER_LEASE = 10;

    /** How much too early a renewal may be sent to share a request with another, at most. */
    private static final long MOST_EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int EARLY_PARTS = 10;

    /** The wall clock counts milliseconds, and may be slewed. */
    private static final long CLOCK_TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    final Cell cell;
    final Claim claim;

    /** Who has it now. */
    @Nullable
    Hold hold;

    /** How often it has passed from hold to hold. */
    int handoffs;

    /** Whether a renewal was sent to which no answer has come, so that the backend may hold it for longer than we know. */
    boolean renewalUnanswered;

    /** Its end on both clocks. Written one after the other, so that in between the sooner of the two is the older one. */
    private volatile long deadlineNanos;

    private volatile long wallDeadlineMillis;

    /** How long it was good for when it was given. */
    private long termNanos;

    /** When the backend last confirmed it, and until when it has confirmed to keep it. */
    private long confirmedNanos;

    private long keptUntilNanos;

    /** Until when the backend may keep it, should a request without an answer have been carried out. */
    private long mayBeKeptUntilNanos;

    private boolean renewalPlanned;
    private long renewalNanos;
    private long renewalEarlyNanos;
    private int renewalsOnTheirWay;

    private final OptionalLong firstFence;
    private int fencesTaken;

    Grant(Cell cell, Claim claim, Attempt.Granted granted, long startNanos, long startMillis) {
        super((int) claim.number());
        this.cell = cell;
        this.claim = claim;
        this.firstFence = granted.firstFence();
        mayBeKeptUntilNanos = startNanos;
        confirm(granted.validity(), claim.lease(), startNanos, startMillis);
    }

    private void confirm(Duration validity, Duration lease, long startNanos, long startMillis) {
        termNanos = validity.toNanos();
        confirmedNanos = startNanos;
        keptUntilNanos = startNanos + lease.toNanos();
        mayBeKept(keptUntilNanos);
        deadlineNanos = startNanos + termNanos;
        wallDeadlineMillis = startMillis + validity.toMillis();
    }

    private void mayBeKept(long untilNanos) {
        if (untilNanos - mayBeKeptUntilNanos > 0) {
            mayBeKeptUntilNanos = untilNanos;
        }
    }

    /** Notes what a renewal has given. One that was overtaken by a later one does not bring the end nearer. */
    private void extend(Renewals.Request request, Duration validity) {
        long startNanos = request.startNanos();
        long startMillis = request.startMillis();
        renewalUnanswered = renewalsOnTheirWay > 0;
        if (request.extending() && startNanos + validity.toNanos() - deadlineNanos >= 0) {
            confirm(validity, request.claim().lease(), startNanos, startMillis);
        } else {
            // The monotonic clock may have stood still, so it does not show that the backend keeps more than was asked
            // for now.
            long shownMillis = Math.max(wallDeadlineMillis, startMillis + validity.toMillis());
            wallDeadlineMillis =
                    Math.min(shownMillis, startMillis + TimeUnit.NANOSECONDS.toMillis(deadlineNanos - startNanos));
            confirmedNanos = startNanos;
        }
    }

    /** Whether the grant is over. Once true, stays true. */
    boolean isOver(Environment env) {
        return env.nanoTime() - deadlineNanos >= 0;
    }

    /** How long the grant is good by both clocks, zero if one of them says that it is not. */
    long remainingNanos(Environment env) {
        long monotonic = deadlineNanos - env.nanoTime();
        long wall = TimeUnit.MILLISECONDS.toNanos(wallDeadlineMillis - env.currentTimeMillis());
        return Math.max(0, Math.min(monotonic, wall));
    }

    /** Whether the wall clock says that the grant is over, though the monotonic one does not. */
    boolean isDoubted(Environment env) {
        return remainingNanos(env) == 0 && deadlineNanos - env.nanoTime() > CLOCK_TOLERANCE_NANOS;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** The time to live that leaves the end on the backend where it is; positive, since any other would delete the lock. */
    Duration lifeLeft(Environment env) {
        long left = TimeUnit.NANOSECONDS.toMillis(keptUntilNanos - env.nanoTime());
        return Duration.ofMillis(Math.max(0, left) + 1);
    }

    /** Whether the backend may keep the lock after the grant is over. */
    boolean mayOutlive() {
        return renewalUnanswered || mayBeKeptUntilNanos - keptUntilNanos > 0;
    }

    /** Whether the backend has confirmed the grant within a renewal period and no clock doubts it. */
    boolean isConfirmed(Environment env, LockOptions options) {
        long periodNanos = options.lease().toNanos() / RENEWALS_PER_LEASE;
        return env.nanoTime() - confirmedNanos <= periodNanos && !isDoubted(env);
    }

    /**
     * Whether enough is left for another holder: half of what it would be given by the backend. More than its lease would be too
     * much, since others wait for that long if the holder dies.
     */
    boolean isGoodFor(Environment env, Duration lease) {
        return !renewalUnanswered
                && remainingNanos(env) >= Math.min(lease.toNanos(), termNanos) / 2
                && mayBeKeptUntilNanos - env.nanoTime() <= lease.toNanos();
    }

    /** Gives it to its first hold, and has the timer look after it. */
    void begin(Hold first, Environment env, Timer timer) {
        hold = first;
        planRenewal(env.nanoTime());
        try {
            schedule(timer);
        } catch (Throwable e) {
            // The timer could not be started, so nobody would look after the grant.
            hold = null;
            throw e;
        }
    }

    /** Plans the first renewal of a hold. */
    void planRenewal(long sinceNanos) {
        planRenewal(sinceNanos, RENEWALS_PER_LEASE);
    }

    private void planRenewal(long sinceNanos, int timesPerLease) {
        Hold holder = hold;
        renewalPlanned = holder != null && holder.options.renewal() && !holder.capped;
        if (holder != null && renewalPlanned) {
            // What was granted to a waiter may be much less than its lease.
            long given = Math.min(holder.options.lease().toNanos(), termNanos);
            renewalNanos = sinceNanos + given / timesPerLease;
            renewalEarlyNanos = Math.min(MOST_EARLY_NANOS, given / RENEWALS_PER_LEASE / EARLY_PARTS);
        }
    }

    void forgetRenewal() {
        renewalPlanned = false;
    }

    /** Whether a renewal is planned, and may be sent now. */
    private boolean isRenewalDue(Environment env) {
        return renewalPlanned && renewalNanos - renewalEarlyNanos - env.nanoTime() <= 0;
    }

    /** Has the timer look after the grant at its next renewal or at its end, whichever comes first. */
    void schedule(Timer timer) {
        if (renewalPlanned && renewalNanos - deadlineNanos < 0) {
            timer.schedule(this, renewalNanos, renewalEarlyNanos);
        } else {
            timer.schedule(this, deadlineNanos, 0);
        }
    }

    /** Notes that a renewal is sent. */
    void renewalBegins() {
        renewalsOnTheirWay++;
        renewalUnanswered = true;
    }

    /** Returns the claim to be renewed now that the timer has fired, or {@code null} if there is nothing to renew. */
    @Nullable
    Claim beginPlannedRenewal(Environment env, Timer timer) {
        if (hold == null) {
            return null;
        }
        Duration lease = Duration.ZERO;
        if (isRenewalDue(env)) {
            forgetRenewal();
            if (!hold.isAbandoned()) {
                lease = hold.withinMaxHold(env, hold.options.lease());
                hold.capped = lease.isNegative() || lease.isZero();
            }
        }
        schedule(timer);
        if (lease.isNegative() || lease.isZero()) {
            return null;
        }
        renewalBegins();
        return claim.withLease(lease);
    }

    /** Notes that a renewal has come to an end, and plans the next one. */
    void endRenewal(Environment env, Timer timer, Renewals.Request request, Renewal outcome) {
        renewalsOnTheirWay--;
        mayBeKept(request.startNanos() + request.claim().lease().toNanos());
        if (hold == null) {
            return;
        }
        // What is over stays over; the loss gives back what this renewal may have extended.
        if (!isOver(env)) {
            if (outcome instanceof Renewal.Renewed renewed) {
                extend(request, renewed.validity());
                hold.capped |= request.extending() && request.claim().lease().compareTo(hold.options.lease()) < 0;
                planRenewal(request.startNanos(), RENEWALS_PER_LEASE);
            } else {
                renewalUnanswered = true;
                planRenewal(env.nanoTime(), RETRIES_PER_LEASE);
            }
        }
        schedule(timer);
    }

    /** Whether a fencing token is left for another hold. */
    boolean hasFence() {
        return firstFence.isEmpty() || fencesTaken < claim.fences();
    }

    /** Takes the next of the reserved fencing tokens. */
    OptionalLong takeFence() {
        int before = fencesTaken++;
        return before == 0 || firstFence.isEmpty() ? firstFence : OptionalLong.of(firstFence.getAsLong() + before);
    }
}
