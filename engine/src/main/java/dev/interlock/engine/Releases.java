// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Gives claims back: at once for those who wait for it, and in the background until the backend has confirmed it for those who
 * could not be sure, so that nothing stays behind. Safe to use from any thread.
 */
final class Releases {
    private static final System.Logger LOG = System.getLogger(Releases.class.getPackageName());

    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_REPEAT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** How long after a lease has ended to go on trying: a stalled server may yet carry a request out. */
    private static final long GRACE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment env;
    private final LeaseProtocol protocol;
    private final DueWorker<Pending> worker;

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

    /** A claim to be given back, how often the backend is still to confirm that, and when to stop trying. */
    private record Pending(Claim claim, int confirmations, int failures, long untilNanos) {}

    Releases(Environment env, LeaseProtocol protocol) {
        this.env = env;
        this.protocol = protocol;
        this.worker = new DueWorker<>(env, "interlock-release", 0, this::release);
    }

    /**
     * Gives a claim back and waits for the answer. If there is none, the claim is given back in the background.
     *
     * @return why the claim no longer held the lock, or empty if it did or nobody can say
     */
    Optional<LossCause> now(Claim claim) {
        try {
            Release release = Waiting.undisturbed(() -> protocol.release(claim));
            return release instanceof Release.Lost lost ? Optional.of(lost.cause()) : Optional.empty();
        } catch (LockBackendException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the release of lock \"" + claim.name()
                            + "\" was not confirmed; it is repeated in the background, and the"
                            + " lease ends by itself within " + claim.lease() + ": " + e.getMessage());
            later(claim, 1);
            return Optional.empty();
        } catch (Throwable e) {
            later(claim, 1);
            throw e;
        }
    }

    /** Gives claims back, each once, for as long as the backend answers. */
    void all(List<Claim> claims, Waiting waiting) {
        tryEach(claims.stream().map(claim -> new Pending(claim, 1, 0, 0)).toList(), waiting);
    }

    private void tryEach(List<Pending> pendings, Waiting waiting) {
        for (Pending pending : pendings) {
            waiting.takeInterrupt();
            if (confirm(pending) == Outcome.UNANSWERED) {
                return;
            }
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
     * Gives up the place that a claim has in the queue of the backend, and the lock if it has been granted meanwhile. Waits for one
     * answer; if there is none, the claim is given back in the background.
     */
    void withdraw(Claim claim) {
        Pending pending = new Pending(claim, 1, 0, untilNanos(claim));
        Outcome outcome = confirm(pending);
        if (outcome == Outcome.UNANSWERED || outcome == Outcome.FAILED) {
            retry(pending);
        }
    }

    /** Gives up a place in the background, where the backend has not answered just now. */
    void withdrawLater(Claim claim) {
        later(claim, 1);
    }

    private void later(Claim claim, int confirmations) {
        worker.add(new Pending(claim, confirmations, 0, untilNanos(claim)), env.nanoTime());
    }

    private long untilNanos(Claim claim) {
        return env.nanoTime() + claim.lease().toNanos() + GRACE_NANOS;
    }

    private void release(List<Pending> due) {
        boolean answering = true;
        for (Pending pending : due) {
            Outcome outcome = answering ? confirm(pending) : Outcome.UNANSWERED;
            answering = outcome != Outcome.UNANSWERED;
            if (outcome == Outcome.UNANSWERED || outcome == Outcome.FAILED) {
                retry(pending);
            }
        }
    }

    private Outcome confirm(Pending pending) {
        Claim claim = pending.claim;
        try {
            protocol.release(claim);
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
        if (pending.confirmations > 1) {
            long repeat = Math.max(
                    SHORTEST_REPEAT_NANOS,
                    Math.min(LONGEST_REPEAT_NANOS, claim.lease().toNanos() / 10));
            worker.add(new Pending(claim, pending.confirmations - 1, 0, pending.untilNanos), env.nanoTime() + repeat);
        }
        return Outcome.CONFIRMED;
    }

    private void retry(Pending pending) {
        long now = env.nanoTime();
        long bound = Math.min(LONGEST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(pending.failures, 10));
        long at = now + bound / 2 + env.nextLong(bound / 2 + 1);
        if (at - pending.untilNanos < 0) {
            worker.add(new Pending(pending.claim, pending.confirmations, pending.failures + 1, pending.untilNanos), at);
        }
    }

    /** Tries once more what is still to be given back, then ends. */
    void close(Waiting waiting, long untilNanos) {
        tryEach(worker.close(waiting, untilNanos), waiting);
    }
}
