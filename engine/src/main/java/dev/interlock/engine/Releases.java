// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.threads.Lanes;
import dev.interlock.engine.threads.Timer;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Gives claims back: at once for those who wait for it, and in the background until the backend has confirmed it for those who
 * could not be sure, so that nothing stays behind. Safe to use from any thread.
 */
final class Releases {
    private static final QuietLog LOG = QuietLog.of(Releases.class);

    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_REPEAT_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int MOST_IN_A_BATCH = 256;

    /** How long after a lease has ended to go on trying: a stalled server may yet carry a request out. */
    private static final long GRACE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment env;
    private final LeaseProtocol protocol;
    private final Timer timer;
    private final Lanes lanes;

    /** What came of an attempt to give a claim back. */
    private enum Outcome {
        CONFIRMED,
        /** The backend will say the same each time. */
        REFUSED,
        /** The backend cannot be reached, or did not answer. */
        UNANSWERED,
        /** The protocol failed in a way that says nothing about the backend. */
        FAILED
    }

    /** A claim to be given back in the background. Used by one thread at a time. */
    static final class Pending extends Timer.Entry {
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
    }

    Releases(Environment env, LeaseProtocol protocol, Timer timer, Lanes lanes) {
        this.env = env;
        this.protocol = protocol;
        this.timer = timer;
        this.lanes = lanes;
    }

    /**
     * Gives a claim back and waits for the answer. If there is none, the claim is given back in the background.
     *
     * @param patience how long to wait for the answer; at most the time-out of the claim
     * @return the outcome, or {@code null} if it is unknown
     */
    @Nullable
    Release now(Claim claim, Duration patience) {
        if (patience.isNegative() || patience.isZero()) {
            later(claim, 1);
            return null;
        }
        boolean wasInterrupted = Thread.interrupted();
        try {
            return protocol.release(patience.compareTo(claim.timeout()) < 0 ? claim.withTimeout(patience) : claim);
        } catch (LockBackendException e) {
            later(claim, 1);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the release of lock \"" + claim.name()
                            + "\" was not confirmed; it is repeated in the background, and the"
                            + " lease ends by itself within " + claim.lease() + ": " + e.getMessage());
            return null;
        } catch (Throwable e) {
            later(claim, 1);
            throw e;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Gives claims back, each once and many at a time, and waits for that until a moment on the monotonic clock. */
    void all(List<Claim> claims, Wait wait, long untilNanos) {
        Map<String, List<Claim>> byLane = new HashMap<>();
        claims.forEach(claim -> byLane.computeIfAbsent(protocol.lane(claim.name()), lane -> new ArrayList<>())
                .add(claim));
        Thread waiter = Thread.currentThread();
        AtomicInteger running = new AtomicInteger(1);
        byLane.forEach((lane, ofLane) -> {
            for (int from = 0; from < ofLane.size(); from += MOST_IN_A_BATCH) {
                List<Claim> batch = ofLane.subList(from, Math.min(ofLane.size(), from + MOST_IN_A_BATCH));
                running.incrementAndGet();
                Runnable job = () -> {
                    releaseAll(batch, untilNanos);
                    running.decrementAndGet();
                    env.unpark(waiter);
                };
                // The job may have to run here.
                wait.takeInterrupt();
                if (!lanes.run(lane, job)) {
                    running.decrementAndGet();
                }
            }
        });
        running.decrementAndGet();
        for (long left = untilNanos - env.nanoTime();
                running.get() > 0 && left > 0;
                left = untilNanos - env.nanoTime()) {
            wait.park(this, left);
        }
    }

    private void releaseAll(List<Claim> batch, long untilNanos) {
        if (untilNanos - env.nanoTime() <= 0) {
            return;
        }
        try {
            protocol.releaseAll(batch);
        } catch (Throwable e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "not all of " + batch.size()
                            + " locks were released at the close of their factory; their leases end" + " by themselves",
                    e);
        }
    }

    /**
     * Gives back in the background what a request without an answer may have taken. Done twice: on another connection, the first
     * release can overtake the request.
     */
    void afterUnknownOutcome(Claim claim) {
        later(claim, 2);
    }

    /**
     * Gives up the place that a claim has in the queue of the backend, and the lock if it has been granted meanwhile.
     *
     * @param patience how long to wait for the answer; where that is not enough, it is done in the background
     */
    void withdraw(Claim claim, Duration patience) {
        if (patience.isNegative() || patience.isZero()) {
            later(claim, 1);
            return;
        }
        Duration timeout = patience.compareTo(claim.timeout()) < 0 ? patience : claim.timeout();
        Pending pending = new Pending(claim.withTimeout(timeout), 1, untilNanos(claim));
        Outcome outcome = confirm(pending);
        if (outcome == Outcome.UNANSWERED || outcome == Outcome.FAILED) {
            later(claim, 1);
        }
    }

    /** Gives up a place in the background, where the backend has not answered just now. */
    void withdrawLater(Claim claim) {
        later(claim, 1);
    }

    private void later(Claim claim, int confirmations) {
        Pending pending = new Pending(claim, confirmations, untilNanos(claim));
        timer.schedule(pending, env.nanoTime(), 0);
    }

    private long untilNanos(Claim claim) {
        return env.nanoTime() + claim.lease().toNanos() + GRACE_NANOS;
    }

    /** Gives back in the background what the timer says is to be tried now. */
    void handle(List<Pending> due) {
        Map<String, List<Pending>> byLane = new HashMap<>();
        due.forEach(pending -> byLane.computeIfAbsent(protocol.lane(pending.claim.name()), lane -> new ArrayList<>())
                .add(pending));
        byLane.forEach((lane, ofLane) -> lanes.run(lane, () -> release(ofLane)));
    }

    private void release(List<Pending> due) {
        boolean answering = true;
        for (Pending pending : due) {
            Thread.interrupted();
            Outcome outcome = answering ? confirm(pending) : Outcome.UNANSWERED;
            answering = outcome != Outcome.UNANSWERED;
            if (outcome == Outcome.UNANSWERED || outcome == Outcome.FAILED) {
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

    private Outcome confirm(Pending pending) {
        Claim claim = pending.claim;
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

    /** Tries once more what is still to be given back, after the timer is closed. */
    void last(List<Pending> pendings, Wait wait, long untilNanos) {
        all(pendings.stream().map(pending -> pending.claim).toList(), wait, untilNanos);
    }
}
