// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.threads.Lanes;
import dev.interlock.engine.threads.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Releases claims in the background, and repeats each release until the backend has confirmed it. Safe to use from any
 * thread.
 */
public final class PendingReleases {
    private static final QuietLog LOG = QuietLog.of(PendingReleases.class);

    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_REPEAT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** How long to go on trying after the end of a lease: a stalled server may still execute an earlier request. */
    private static final long GRACE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** How long to try to leave a condition: a waiter that has not left keeps its place there, and its signals. */
    private static final long LEAVING_NANOS = TimeUnit.DAYS.toNanos(1);

    private final Environment env;
    private final LeaseProtocol protocol;
    private final Timer timer;
    private final Lanes lanes;
    private volatile boolean closed;

    /** The result of an attempt to release a claim. */
    private enum Outcome {
        CONFIRMED,
        /** The backend rejects the release, and would do so each time. */
        REFUSED,
        /** The backend cannot be reached, or did not answer. */
        UNANSWERED,
        /** The protocol failed in a way that says nothing about the backend. */
        FAILED;

        boolean isFinal() {
            return this == CONFIRMED || this == REFUSED;
        }
    }

    /** A claim to release. Used by one thread at a time. */
    public static final class Pending extends Timer.Entry {
        private final Claim claim;
        private final long untilNanos;

        /** Whether the claim waits for a condition, which it has to leave. */
        private final boolean leaves;

        /** How many more times the backend must confirm the release. */
        private int confirmations;

        private int failures;

        private Pending(Claim claim, boolean leaves, int confirmations, long untilNanos) {
            super((int) claim.number());
            this.claim = claim;
            this.leaves = leaves;
            this.confirmations = confirmations;
            this.untilNanos = untilNanos;
        }

        public Claim claim() {
            return claim;
        }
    }

    public PendingReleases(Environment env, LeaseProtocol protocol, Timer timer, Lanes lanes) {
        this.env = env;
        this.protocol = protocol;
        this.timer = timer;
        this.lanes = lanes;
    }

    /** Adds a claim, to be released until the backend has confirmed it that many times. */
    public void add(Claim claim, int confirmations) {
        long now = env.nanoTime();
        timer.schedule(
                new Pending(claim, false, confirmations, now + claim.lease().toNanos() + GRACE_NANOS), now, 0);
    }

    /**
     * Makes a waiter of a condition leave it, pass on the signal that it may have got, and give back the lock that it
     * may have been granted because of that.
     */
    public void addLeaving(Claim waiter) {
        long now = env.nanoTime();
        timer.schedule(new Pending(waiter, true, 1, now + LEAVING_NANOS), now, 0);
    }

    /** Releases a claim at once; returns {@code false} if the release must be tried again. */
    public boolean tryNow(Claim claim) {
        return confirm(claim, false).isFinal();
    }

    /** Removes the pending releases from the entries that are due, and sends them. */
    public void handleOwn(List<Timer.Entry> due) {
        List<Pending> own = new ArrayList<>();
        due.removeIf(entry -> entry instanceof Pending pending && own.add(pending));
        if (!own.isEmpty()) {
            handle(own);
        }
    }

    private void handle(List<Pending> due) {
        Map<String, List<Pending>> byLane = new HashMap<>();
        for (Pending pending : due) {
            try {
                byLane.computeIfAbsent(protocol.lane(pending.claim.name()), lane -> new ArrayList<>())
                        .add(pending);
            } catch (Throwable e) {
                failed(pending, e);
            }
        }
        byLane.forEach((lane, ofLane) -> {
            try {
                lanes.run(lane, () -> release(ofLane));
            } catch (Throwable e) {
                ofLane.forEach(pending -> failed(pending, e));
            }
        });
    }

    /** Logs an unexpected failure of a release, and plans another one. */
    private void failed(Pending pending, Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "the release of lock \"" + pending.claim.lockName() + "\" failed", failure);
        retry(pending);
    }

    private void release(List<Pending> due) {
        boolean answering = true;
        for (Pending pending : due) {
            if (closed) {
                return;
            }
            Thread.interrupted();
            Outcome outcome = answering ? confirm(pending.claim, pending.leaves) : Outcome.UNANSWERED;
            answering = outcome != Outcome.UNANSWERED;
            if (!outcome.isFinal()) {
                retry(pending);
            } else if (outcome == Outcome.CONFIRMED && --pending.confirmations > 0) {
                long repeat = pending.claim.lease().toNanos() / 10;
                timer.schedule(
                        pending,
                        env.nanoTime() + Math.max(SHORTEST_REPEAT_NANOS, Math.min(LONGEST_REPEAT_NANOS, repeat)),
                        0);
            }
        }
    }

    private Outcome confirm(Claim claim, boolean leaves) {
        try {
            if (leaves) {
                protocol.conditions().ifPresent(conditions -> conditions.leave(claim, true));
            }
            protocol.release(claim);
            return Outcome.CONFIRMED;
        } catch (LockBackendException e) {
            if (e.reason() != LockBackendException.Reason.REFUSED) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "lock \"" + claim.lockName() + "\" is not confirmed to be released",
                        e);
                return Outcome.UNANSWERED;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "lock \"" + claim.lockName() + "\" cannot be released and stays until the end of its lease: "
                            + e.getMessage());
            return Outcome.REFUSED;
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.WARNING, "the release of lock \"" + claim.lockName() + "\" failed", e);
            return Outcome.FAILED;
        }
    }

    private void retry(Pending pending) {
        long now = env.nanoTime();
        long bound = Math.min(LONGEST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(pending.failures, 10));
        long at = now + bound / 2 + env.nextLong(bound / 2 + 1);
        if (at - pending.untilNanos < 0) {
            pending.failures++;
            timer.schedule(pending, at, 0);
        }
    }

    /** Prevents further requests. */
    public void close() {
        closed = true;
    }

    public boolean isClosed() {
        return closed;
    }
}
