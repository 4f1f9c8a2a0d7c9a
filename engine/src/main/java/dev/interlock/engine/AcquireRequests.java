// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockOptions;
import dev.interlock.engine.backend.Contact;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of an {@link Acquisition} that sends requests to the backend and keeps the outcome of the last one. Used by
 * one thread, once.
 */
abstract class AcquireRequests {
    final EngineCore core;
    final Cell cell;
    final LockOptions options;
    final Wait wait;
    final boolean mayWait;
    final boolean forThread;

    /** The claim that was refused and keeps a place in the queue of the backend. */
    @Nullable
    Claim place;

    /** The outcome of the last request: the hold, a failure, or neither, which is a refusal. */
    @Nullable
    Hold hold;

    @Nullable
    LockBackendException failure;

    /** The time after which the lock is free if its holder does not renew it, as the last refusal said. */
    Optional<Duration> retryAfter = Optional.empty();

    private int attempts;

    AcquireRequests(EngineCore core, Cell cell, LockOptions options, boolean forThread, Wait wait, boolean mayWait) {
        this.core = core;
        this.cell = cell;
        this.options = options;
        this.forThread = forThread;
        this.wait = wait;
        this.mayWait = mayWait;
    }

    /**
     * Asks for the lock. Asks once more, within the same time-out, where the acquisition would end with a failure
     * though the backend has answered this factory before: the connection may have ended with the backend's last
     * process.
     */
    final void ask() {
        Claim claim = place != null ? place : core.newClaim(cell, options, mayWait);
        long startNanos = core.environment().nanoTime();
        boolean unknown = request(claim, claim.timeout(), startNanos);
        LockBackendException cause = failure;
        if (cause == null) {
            return;
        }
        try {
            if (!mayWait || isHopeless(cause, cell.contact(), options, wait.isAnswered())) {
                Duration left = core.secondRequests().leftToAskAgain(cell.name, cause, startNanos, claim.timeout());
                if (!left.isZero() && core.isOpen()) {
                    askAgain(left);
                    if (unknown && hold == null && (failure != null || !mayWait)) {
                        // The refusal may be due to the lock that the first request took.
                        failure = cause;
                    }
                }
            }
        } finally {
            // Released only now: during the second request, it would be a matter of chance whether that finds the key
            // of the first.
            if (unknown) {
                core.releases().afterUnknownOutcome(claim);
            }
        }
    }

    private void askAgain(Duration timeout) {
        wait.takeInterrupt();
        Claim claim = core.newClaim(cell, options, mayWait);
        if (request(claim, timeout, core.environment().nanoTime())) {
            core.releases().afterUnknownOutcome(claim);
        }
        if (failure != null) {
            core.secondRequests().failedAgain(cell.name);
        }
    }

    final boolean isHopeless(LockBackendException cause, Contact contact, LockOptions waiting, boolean answered) {
        return contact.isHopeless(core.environment(), cause, waiting.lease().toNanos(), answered);
    }

    /** Asks once. Returns whether the outcome is unknown, so that the claim must be released. */
    private boolean request(Claim claim, Duration timeout, long startNanos) {
        boolean queued = place != null;
        place = null;
        failure = null;
        retryAfter = Optional.empty();
        attempts++;
        long startMillis = core.environment().currentTimeMillis();
        try {
            Attempt attempt =
                    core.protocol().attempt(timeout.equals(claim.timeout()) ? claim : claim.withTimeout(timeout));
            if (attempt instanceof Attempt.Granted granted) {
                return !accept(claim, new Grant(cell, claim, granted, startNanos, startMillis));
            } else if (attempt instanceof Attempt.Refused refused) {
                cell.answered();
                retryAfter = refused.retryAfter();
                if (mayWait && core.protocol().queues(cell.name)) {
                    place = claim;
                }
            } else if (attempt instanceof Attempt.Failed failed) {
                failure = failed.cause();
                if (failure.reason() == Reason.OUTCOME_UNKNOWN) {
                    return true;
                }
                if (queued) {
                    core.releases().later(claim);
                }
            }
            return false;
        } catch (Throwable e) {
            core.releases().afterUnknownOutcome(claim);
            throw e;
        }
    }

    /** Makes the hold of a grant; returns {@code false} if the grant was over before it was here. */
    private boolean accept(Claim claim, Grant grant) {
        // The clocks are read after the answer, since this process may have stood still meanwhile and the grant may be
        // old.
        if (grant.remainingNanos(core.environment()) == 0) {
            failure = new LockBackendException(
                    Reason.OUTCOME_UNKNOWN,
                    "lock \"" + cell.lockName() + "\" was granted, but its lease of " + claim.lease()
                            + " was over before the answer was here: the backend or this process is too slow for it");
            return false;
        }
        cell.answered();
        Hold begun = cell.begin(grant, forThread ? Thread.currentThread() : null, options, core.open());
        if (begun == null) {
            core.releases().now(claim, wait.leftForRelease(claim.timeout()));
        } else {
            begun.attempts = attempts;
            hold = begun;
        }
        return true;
    }
}
