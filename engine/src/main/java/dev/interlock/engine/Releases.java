// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.engine.backend.PendingReleases;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.threads.Lanes;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Gives claims back: at once for those who wait for it, and {@linkplain PendingReleases in the background} where there was no
 * answer, so that nothing stays behind. Safe to use from any thread.
 */
final class Releases {
    private static final QuietLog LOG = QuietLog.of(Releases.class);

    private static final int MOST_IN_A_BATCH = 256;

    private final Environment env;
    private final LeaseProtocol protocol;
    private final Lanes lanes;
    private final PendingReleases pendings;

    /** Claims to be released together. A protocol that releases one after the other reads no further once nothing may begin. */
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

    Releases(Environment env, LeaseProtocol protocol, Lanes lanes, PendingReleases pendings) {
        this.env = env;
        this.protocol = protocol;
        this.lanes = lanes;
        this.pendings = pendings;
    }

    /**
     * Gives a claim back and waits for the answer. If there is none, the claim is given back in the background.
     *
     * @param patience how long to wait for the answer; at most the time-out of the claim
     * @return the outcome, or {@code null} if it is unknown
     */
    @Nullable
    Release now(Claim claim, Duration patience) {
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
                    "the release of lock \"" + claim.name()
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
     * Gives back in the background what a request without an answer may have taken. Done twice: on another connection, the first
     * release can overtake the request.
     */
    void afterUnknownOutcome(Claim claim) {
        pendings.add(claim, 2);
    }

    /**
     * Gives up the place that a claim has in the queue of the backend, and the lock if it has been granted meanwhile.
     *
     * @param patience how long to wait for the answer; where that is not enough, it is done in the background
     */
    void withdraw(Claim claim, Duration patience) {
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

    /** Gives up a place in the background, where the backend has not answered just now. */
    void withdrawLater(Claim claim) {
        pendings.add(claim, 1);
    }

    /** Tries once more what is still to be given back, after the timer is closed. */
    void last(List<Claim> claims, Wait wait, long untilNanos) {
        all(claims, wait, untilNanos);
    }
}
