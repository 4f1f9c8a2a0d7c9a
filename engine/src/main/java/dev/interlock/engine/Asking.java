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

    /** The claim of a request without an answer, which is still to be given back. */
    private @Nullable Claim unanswered;

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
        Claim first = null;
        long startNanos = core.environment().nanoTime();
        try {
            request(claim, claim.timeout());
            LockBackendException cause = failure;
            if (cause != null && (!mayWait || isHopeless(cause, cell.contact(), options))) {
                Duration left = core.answering().leftToAskAgain(cell.name, cause, startNanos, claim.timeout());
                if (!left.isZero() && core.isOpen()) {
                    first = unanswered;
                    unanswered = null;
                    askAgain(left);
                    if (first != null && hold == null && (failure != null || !mayWait)) {
                        // A refusal may be due to what the first request has taken.
                        failure = cause;
                    }
                }
            }
        } finally {
            // The first not sooner, or it would depend on chance whether the second finds what it has left behind.
            undo(first);
            undo(unanswered);
            unanswered = null;
        }
    }

    private void askAgain(Duration timeout) {
        wait.takeInterrupt();
        request(core.newClaim(cell, options, mayWait), timeout);
        if (failure != null) {
            core.answering().failedAgain(cell.name);
        }
    }

    private void undo(@Nullable Claim claim) {
        if (claim != null) {
            core.releases().afterUnknownOutcome(claim);
        }
    }

    final boolean isHopeless(LockBackendException cause, Contact contact, LockOptions waiting) {
        return contact.isHopeless(core.environment(), cause, waiting.lease().toNanos());
    }

    private void request(Claim claim, Duration timeout) {
        boolean queued = place != null;
        place = null;
        failure = null;
        retryAfter = Optional.empty();
        attempts++;
        long startNanos = core.environment().nanoTime();
        long startMillis = core.environment().currentTimeMillis();
        try {
            Attempt attempt =
                    core.protocol().attempt(timeout.equals(claim.timeout()) ? claim : claim.withTimeout(timeout));
            if (attempt instanceof Attempt.Granted granted) {
                accept(new Grant(cell, claim, granted, startNanos, startMillis));
            } else if (attempt instanceof Attempt.Refused refused) {
                cell.answered();
                retryAfter = refused.retryAfter();
                if (mayWait && core.protocol().queues()) {
                    place = claim;
                }
            } else if (attempt instanceof Attempt.Failed failed) {
                failure = failed.cause();
                if (failure.reason() == Reason.OUTCOME_UNKNOWN) {
                    unanswered = claim;
                } else if (queued) {
                    core.releases().withdrawLater(claim);
                }
            }
        } catch (Throwable e) {
            unanswered = claim;
            throw e;
        }
    }

    private void accept(Grant grant) {
        Claim claim = grant.claim;
        // Read again after the answer: whoever stood still meanwhile must not take an old grant for a fresh one.
        if (grant.remainingNanos(core.environment()) == 0) {
            unanswered = claim;
            failure = new LockBackendException(
                    Reason.OUTCOME_UNKNOWN,
                    "lock \"" + cell.name + "\" was granted, but its lease of " + claim.lease()
                            + " was over before the answer was here: the backend or this process is too slow for it");
            return;
        }
        cell.answered();
        Hold begun = cell.begin(grant, forThread ? Thread.currentThread() : null, options, core.open());
        if (begun == null) {
            core.releases().now(claim, wait.leftForRelease(claim.timeout()));
        } else {
            begun.attempts = attempts;
            hold = begun;
        }
    }
}
