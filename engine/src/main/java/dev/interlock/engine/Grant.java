// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.threads.Timer;
import dev.interlock.engine.threads.Waiter;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A grant of the backend: the claim that holds the lock, its validity, and the reserved fencing tokens. A local
 * hand-off passes it from hold to hold. It is also the timer entry for its next renewal or its end. Fields are guarded
 * by the cell's monitor except where they are volatile.
 */
final class Grant extends GrantValidity {
    private static final int RETRIES_PER_LEASE = 10;

    /** How early a renewal may be sent, at most, to share a request with another one. */
    private static final long MOST_EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int EARLY_PARTS = 10;

    final Cell cell;
    volatile Claim claim;
    private final boolean fenced;
    private final long firstFence;

    /** The present hold of this grant. */
    @Nullable
    Hold hold;

    /** Whether renewal has gone as far as {@code maxHold} permits. */
    boolean capped;

    private boolean renewalPlanned;
    private long renewalNanos;
    private int renewalsOnTheirWay;

    /** The time for which a renewal was last planned because of a failover. */
    private long hurriedNanos;

    private boolean hurried;

    /** The number of holds so far. */
    private int holds;

    Grant(Cell cell, Claim claim, Attempt.Granted granted, long startNanos, long startMillis) {
        super(claim, granted.validity(), startNanos, startMillis);
        this.cell = cell;
        this.claim = claim.withHeld(true);
        this.fenced = granted.firstFence().isPresent();
        this.firstFence = granted.firstFence().orElse(0);
    }

    /** Notes the result of a renewal. A renewal that a later one overtook does not shorten the validity. */
    private void extend(Renewals.Request request, Duration validity) {
        long startNanos = request.startNanos();
        long startMillis = request.startMillis();
        renewalUnanswered = renewalsOnTheirWay > 0;
        if (request.extending() && startNanos + validity.toNanos() - deadlineNanos() >= 0) {
            confirm(validity, request.claim().lease(), startNanos, startMillis);
        } else {
            confirmWithoutExtending(validity, startNanos, startMillis);
        }
    }

    /** Assigns this grant to its first hold, and adds it to the timer. */
    void begin(Hold first, Environment env, Timer timer) {
        hold = first;
        planRenewal(env.nanoTime());
        hurryAfterTakeover(env);
        try {
            schedule(timer);
        } catch (Throwable e) {
            // The timer could not be started, so nothing would renew or end the grant.
            hold = null;
            throw e;
        }
    }

    /** Passes this grant on to a waiter here. */
    Hold passTo(Waiter<Hold> next, Environment env, Timer timer) {
        boolean sameOptions = hold != null && next.options.equals(hold.options);
        Hold passed = new Hold(this, next.forThread ? next.thread : null, next.options, env.nanoTime());
        hold = passed;
        if (!sameOptions) {
            planRenewal(env.nanoTime());
            schedule(timer);
        }
        next.hold = passed;
        return passed;
    }

    /** Plans the first renewal of a hold. */
    void planRenewal(long sinceNanos) {
        planRenewal(sinceNanos, RENEWALS_PER_LEASE);
    }

    private void planRenewal(long sinceNanos, int timesPerLease) {
        Hold holder = hold;
        renewalPlanned = holder != null && holder.isRenewed() && !capped;
        if (holder != null && renewalPlanned) {
            renewalNanos = sinceNanos + givenNanos(holder) / timesPerLease;
        }
    }

    /** The length of this grant: for a waiter it may be much shorter than its lease. */
    private long givenNanos(Hold holder) {
        return Math.min(holder.options.lease().toNanos(), termNanos());
    }

    private int earlyNanos(Hold holder) {
        return (int) Math.min(MOST_EARLY_NANOS, givenNanos(holder) / RENEWALS_PER_LEASE / EARLY_PARTS);
    }

    /** Returns whether the backend failed over since it confirmed this grant, so that the new server may lack it. */
    boolean isBeforeTakeover() {
        return cell.table.isBeforeTakeover(confirmedNanos());
    }

    /** Plans an immediate renewal after a failover, but not repeatedly if there are many. */
    private void hurryAfterTakeover(Environment env) {
        Hold holder = hold;
        if (holder != null && renewalPlanned && isBeforeTakeover()) {
            long now = env.nanoTime();
            long pause = givenNanos(holder) / RETRIES_PER_LEASE;
            long soonest = hurried && now - hurriedNanos < pause ? hurriedNanos + pause : now;
            if (soonest - renewalNanos < 0) {
                renewalNanos = soonest;
                hurriedNanos = soonest;
                hurried = true;
            }
        }
    }

    /** Plans an immediate renewal, unless one is in flight, whose outcome then decides. */
    void renewSoon(Environment env, Timer timer) {
        hurryAfterTakeover(env);
        schedule(timer);
    }

    void forgetRenewal() {
        renewalPlanned = false;
    }

    /** Returns whether a renewal is planned, and may be sent now. */
    private boolean isRenewalDue(Environment env) {
        Hold holder = hold;
        return holder != null && renewalPlanned && renewalNanos - earlyNanos(holder) - env.nanoTime() <= 0;
    }

    /** Schedules this grant for its next renewal or its end, whichever comes first. */
    void schedule(Timer timer) {
        Hold holder = hold;
        if (holder != null && renewalPlanned && renewalNanos - deadlineNanos() < 0) {
            timer.schedule(this, renewalNanos, earlyNanos(holder));
        } else {
            timer.schedule(this, deadlineNanos(), 0);
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
        Claim renewed = null;
        if (isRenewalDue(env)) {
            if (!hold.isAbandoned()) {
                Duration lease = hold.withinMaxHold(env, hold.options.lease());
                capped = lease.isNegative() || lease.isZero();
                renewed = capped ? null : claim.withLease(lease);
            }
            forgetRenewal();
        }
        schedule(timer);
        if (renewed != null) {
            renewalBegins();
        }
        return renewed;
    }

    /** Notes that a renewal failed before its outcome was known, and plans another. */
    void renewalFailed(Environment env, Timer timer, @Nullable Duration asked) {
        if (asked != null) {
            renewalsOnTheirWay--;
            mayBeKept(env.nanoTime() + asked.toNanos());
        }
        if (hold != null) {
            if (!isOver(env)) {
                planRenewal(env.nanoTime(), RETRIES_PER_LEASE);
            }
            schedule(timer);
        }
    }

    /** Notes that a renewal has come to an end, and plans the next one. */
    void endRenewal(Environment env, Timer timer, Renewals.Request request, Renewal outcome) {
        renewalsOnTheirWay--;
        mayBeKept(request.startNanos() + request.claim().lease().toNanos());
        if (hold == null) {
            return;
        }
        // A grant that is over stays over; the handling of the loss releases what this renewal may have extended.
        if (!isOver(env)) {
            if (outcome instanceof Renewal.Renewed renewed) {
                extend(request, renewed.validity());
                capped |= request.extending() && request.claim().lease().compareTo(hold.options.lease()) < 0;
                planRenewal(request.startNanos(), RENEWALS_PER_LEASE);
                hurryAfterTakeover(env);
            } else {
                renewalUnanswered = true;
                planRenewal(env.nanoTime(), RETRIES_PER_LEASE);
            }
        }
        schedule(timer);
    }

    /** The number of local hand-offs so far. */
    int handoffs() {
        return holds - 1;
    }

    /** Returns whether a fencing token is left for another hold. */
    boolean hasFence() {
        return !fenced || holds < claim.fences();
    }

    /** Counts a hold. Returns the number of holds before it. */
    int addHold() {
        return holds++;
    }

    /** Returns the fencing token of the hold before which there were so many others. */
    OptionalLong fence(int holdsBefore) {
        return fenced ? OptionalLong.of(firstFence + holdsBefore) : OptionalLong.empty();
    }
}
