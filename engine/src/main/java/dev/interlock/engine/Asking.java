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

/** The half of an {@link Acquisition} that asks the backend, and knows the outcome of the last request. Used by one thread, once. */
abstract class Asking {
    final EngineCore core;
    final Cell cell;
    final LockOptions options;
    final Wait wait;
    final boolean mayWait;
    private final boolean forThread;

    /** The claim that was refused and keeps a place in the queue of the backend. */
    @Nullable
    Claim place;

    /** The outcome of the last request: the hold, a failure, or neither, which is a refusal. */
    @Nullable
    Hold hold;

    @Nullable
    LockBackendException failure;

    /** When the lock is free at the latest if its holder does not extend it, as far as the last refusal told. */
    Optional<Duration> retryAfter = Optional.empty();

    private int attempts;

    Asking(EngineCore core, Cell cell, LockOptions options, boolean forThread, Wait wait, boolean mayWait) {
        this.core = core;
        this.cell = cell;
        this.options = options;
        this.forThread = forThread;
        this.wait = wait;
        this.mayWait = mayWait;
    }

    /**
     * Asks for the lock. Asks once more, within the same time-out, where the acquisition would end with a failure though the backend
     * has answered this factory before: the connection may have ended with the backend's last process.
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
            if (!mayWait || isHopeless(cause, cell.contact(), options)) {
                Duration left = core.answering().leftToAskAgain(cell.name, cause, startNanos, claim.timeout());
                if (!left.isZero() && core.isOpen()) {
                    askAgain(left);
                    if (unknown && hold == null && (failure != null || !mayWait)) {
                        // A refusal may be due to what the first request has taken.
                        failure = cause;
                    }
                }
            }
        } finally {
            // Not sooner, or it would depend on chance whether the second request finds what the first has left behind.
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
            core.answering().failedAgain(cell.name);
        }
    }

    final boolean isHopeless(LockBackendException cause, Contact contact, LockOptions waiting) {
        return contact.isHopeless(core.environment(), cause, waiting.lease().toNanos());
    }

    /** Asks once; returns whether nobody knows if that was carried out, so that the claim is to be given back. */
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
                return !accept(new Grant(cell, claim, granted, startNanos, startMillis));
            } else if (attempt instanceof Attempt.Refused refused) {
                cell.answered();
                retryAfter = refused.retryAfter();
                if (mayWait && core.protocol().queues()) {
                    place = claim;
                }
            } else if (attempt instanceof Attempt.Failed failed) {
                failure = failed.cause();
                if (failure.reason() == Reason.OUTCOME_UNKNOWN) {
                    return true;
                }
                if (queued) {
                    core.releases().withdrawLater(claim);
                }
            }
            return false;
        } catch (Throwable e) {
            core.releases().afterUnknownOutcome(claim);
            throw e;
        }
    }

    /** Makes the hold of a grant; returns {@code false} if the grant was over before it was here. */
    private boolean accept(Grant grant) {
        Claim claim = grant.claim;
        // Read again after the answer: whoever stood still meanwhile must not take an old grant for a fresh one.
        if (grant.remainingNanos(core.environment()) == 0) {
            failure = new LockBackendException(
                    Reason.OUTCOME_UNKNOWN,
                    "lock \"" + cell.name + "\" was granted, but its lease of " + claim.lease()
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
