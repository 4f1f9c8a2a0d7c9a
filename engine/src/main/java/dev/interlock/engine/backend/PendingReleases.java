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

/** Gives claims back in the background, again and again until the backend has confirmed it. Safe to use from any thread. */
public final class PendingReleases {
    private static final QuietLog LOG = QuietLog.of(PendingReleases.class);

    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_REPEAT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** How long after a lease has ended to go on trying: a stalled server may yet carry a request out. */
    private static final long GRACE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment env;
    private final LeaseProtocol protocol;
    private final Timer timer;
    private final Lanes lanes;
    private volatile boolean closed;

    /** What came of an attempt to give a claim back. */
    private enum Outcome {
        CONFIRMED,
        /** The backend will say the same each time. */
        REFUSED,
        /** The backend cannot be reached, or did not answer. */
        UNANSWERED,
        /** The protocol failed in a way that says nothing about the backend. */
        FAILED;

        boolean isFinal() {
            return this == CONFIRMED || this == REFUSED;
        }
    }

    /** A claim to be given back. Used by one thread at a time. */
    public static final class Pending extends Timer.Entry {
        private final Claim claim;
        private final long untilNanos;

        /** How often the backend is still to confirm it. */
        private int confirmations;

        private int failures;

        private Pending(Claim claim, int confirmations, long untilNanos) {
            super((int) claim.number());
            this.claim = claim;
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

    /** Has a claim given back until the backend has confirmed it so often. */
    public void add(Claim claim, int confirmations) {
        long now = env.nanoTime();
        timer.schedule(new Pending(claim, confirmations, now + claim.lease().toNanos() + GRACE_NANOS), now, 0);
    }

    /** Gives a claim back at once; returns {@code false} if that should be tried again. */
    public boolean tryNow(Claim claim) {
        return confirm(claim).isFinal();
    }

    /** Gives back what the timer says is to be tried now. */
    public void handle(List<Pending> due) {
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

    /** Has a claim given back later that could not be handed on. */
    private void failed(Pending pending, Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "the release of lock \"" + pending.claim.name() + "\" failed", failure);
        retry(pending);
    }

    private void release(List<Pending> due) {
        boolean answering = true;
        for (Pending pending : due) {
            if (closed) {
                return;
            }
            Thread.interrupted();
            Outcome outcome = answering ? confirm(pending.claim) : Outcome.UNANSWERED;
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

    private Outcome confirm(Claim claim) {
        try {
            protocol.release(claim);
            return Outcome.CONFIRMED;
        } catch (LockBackendException e) {
            if (e.reason() != LockBackendException.Reason.REFUSED) {
                LOG.log(System.Logger.Level.DEBUG, "lock \"" + claim.name() + "\" is not confirmed to be released", e);
                return Outcome.UNANSWERED;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "lock \"" + claim.name() + "\" cannot be released and stays until the end of its lease: "
                            + e.getMessage());
            return Outcome.REFUSED;
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.WARNING, "the release of lock \"" + claim.name() + "\" failed", e);
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

    /** Lets no request begin any more. */
    public void close() {
        closed = true;
    }

    public boolean isClosed() {
        return closed;
    }
}
