// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.JointLeases;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.threads.Lanes;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Releases claims: at once if the caller waits, and {@linkplain PendingReleases in the background} after a missing
 * answer, so that no lock stays behind. Safe to use from any thread.
 */
public final class Releases {
    private static final QuietLog LOG = QuietLog.of(Releases.class);

    private static final int MOST_IN_A_BATCH = 256;

    private final Environment env;
    private final LeaseProtocol protocol;
    private final Lanes lanes;
    private final PendingReleases pendings;

    /**
     * Claims to release together. Reading one throws once the factory has closed its connections, so that a protocol
     * that releases one claim after the other begins no further request.
     */
    private final class Batch extends AbstractList<Claim> {
        private final List<Claim> claims;

        Batch(List<Claim> claims) {
            this.claims = claims;
        }

        @Override
        public Claim get(int index) {
            if (pendings.isClosed()) {
                throw new LockBackendException(
                        LockBackendException.Reason.UNREACHABLE, "the lock factory has closed its connections");
            }
            return claims.get(index);
        }

        @Override
        public int size() {
            return claims.size();
        }
    }

    public Releases(Environment env, LeaseProtocol protocol, Lanes lanes, PendingReleases pendings) {
        this.env = env;
        this.protocol = protocol;
        this.lanes = lanes;
        this.pendings = pendings;
    }

    /**
     * Releases a claim and waits for the answer. Without an answer, the release goes on in the background.
     *
     * @param patience how long to wait for the answer; at most the time-out of the claim
     * @return the outcome, or {@code null} if it is unknown
     */
    public @Nullable Release now(Claim claim, Duration patience) {
        if (pendings.isClosed()) {
            return null;
        }
        if (patience.isNegative() || patience.isZero()) {
            pendings.add(claim, 1);
            return null;
        }
        boolean wasInterrupted = Thread.interrupted();
        try {
            return protocol.release(patience.compareTo(claim.timeout()) < 0 ? claim.withTimeout(patience) : claim);
        } catch (LockBackendException e) {
            pendings.add(claim, 1);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the release of lock \"" + claim.lockName()
                            + "\" was not confirmed; it is repeated in the background, and the"
                            + " lease ends by itself within " + claim.lease() + ": " + e.getMessage());
            return null;
        } catch (Throwable e) {
            pendings.add(claim, 1);
            throw e;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Releases claims as {@link #now(Claim, Duration)} does, by one request if the protocol can, otherwise one after
     * the other.
     *
     * @param patience how long to wait for all answers; at most the time-out of a claim
     * @param outcomes where to put the outcome of each claim, in their order, or {@code null} if it is unknown
     */
    public void now(List<Claim> claims, Duration patience, List<@Nullable Release> outcomes) {
        JointLeases joint = protocol.joint().orElse(null);
        if (joint != null && claims.size() > 1 && joint.areTogether(names(claims))) {
            outcomes.addAll(together(joint, claims, patience));
            return;
        }
        long sinceNanos = env.nanoTime();
        int tried = 0;
        try {
            for (Claim claim : claims) {
                tried++;
                outcomes.add(now(claim, patience.minusNanos(env.nanoTime() - sinceNanos)));
            }
        } finally {
            claims.subList(tried, claims.size()).forEach(this::later);
        }
    }

    private List<@Nullable Release> together(JointLeases joint, List<Claim> claims, Duration patience) {
        List<@Nullable Release> unknown = new ArrayList<>(Collections.nCopies(claims.size(), null));
        if (pendings.isClosed()) {
            return unknown;
        }
        boolean confirmed = false;
        try {
            Duration timeout = claims.get(0).timeout();
            if (!patience.isNegative() && !patience.isZero()) {
                Duration left = patience.compareTo(timeout) < 0 ? patience : timeout;
                List<Claim> timed =
                        claims.stream().map(claim -> claim.withTimeout(left)).toList();
                List<Release> outcomes = Wait.undisturbed(() -> joint.releaseTogether(timed));
                confirmed = true;
                return new ArrayList<>(outcomes);
            }
        } catch (LockBackendException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the release of locks " + names(claims)
                            + " was not confirmed; it is repeated in the background, and the leases end by themselves: "
                            + e.getMessage());
        } finally {
            if (!confirmed) {
                claims.forEach(claim -> pendings.add(claim, 1));
            }
        }
        return unknown;
    }

    private static List<String> names(List<Claim> claims) {
        return claims.stream().map(Claim::name).toList();
    }

    /** Releases claims, each once and many at a time, and waits until a moment on the monotonic clock. */
    public void all(List<Claim> claims, Wait wait, long untilNanos) {
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
                // The job runs on this thread if the lane has no other one.
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
        if (untilNanos - env.nanoTime() <= 0 || pendings.isClosed()) {
            return;
        }
        try {
            protocol.releaseAll(new Batch(batch));
        } catch (Throwable e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "not all of " + batch.size()
                            + " locks were released at the close of their factory; their leases end by themselves",
                    e);
        }
    }

    /**
     * Releases, in the background, the lock that a request without an answer may have taken. Released twice, since on
     * another connection the first release can overtake the request.
     */
    public void afterUnknownOutcome(Claim claim) {
        pendings.add(claim, 2);
    }

    /**
     * Gives up the place that a claim has in the queue of the backend, and the lock if it has been granted meanwhile.
     *
     * @param patience how long to wait for the answer; where that is not enough, it is done in the background
     */
    public void withdraw(Claim claim, Duration patience) {
        if (pendings.isClosed()) {
            return;
        }
        if (patience.isNegative() || patience.isZero()) {
            pendings.add(claim, 1);
            return;
        }
        Duration timeout = patience.compareTo(claim.timeout()) < 0 ? patience : claim.timeout();
        if (!pendings.tryNow(claim.withTimeout(timeout))) {
            pendings.add(claim, 1);
        }
    }

    /** Gives a claim back, or its place up, in the background. */
    public void later(Claim claim) {
        pendings.add(claim, 1);
    }

    /**
     * Makes a claim that waits for a condition, or was signalled, leave in the background: its signal goes to the next
     * waiter, and its grant is given back.
     */
    public void leaveLater(Claim waiter) {
        pendings.addLeaving(waiter);
    }
}
