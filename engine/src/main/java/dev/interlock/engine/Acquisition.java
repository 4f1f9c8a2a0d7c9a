// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockOptions;
import dev.interlock.engine.backend.Contact;
import dev.interlock.engine.backend.Pace;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Acquires a lock from the backend: asks, waits until the lock may be free, and asks again. Used by one thread, once. */
final class Acquisition {
    private final EngineCore core;
    private final Cell cell;
    private final LockOptions options;
    private final boolean forThread;
    private final Wait wait;
    private final boolean mayWait;

    /** The claim that was refused and keeps a place in the queue of the backend. */
    private @Nullable Claim place;

    /** The outcome of the last attempt: the hold, a failure, or neither, which is a refusal. */
    private @Nullable Hold hold;

    private @Nullable LockBackendException failure;
    private int attempts;
    private @Nullable Pace pace;
    private Optional<Duration> retryAfter = Optional.empty();

    Acquisition(EngineCore core, Cell cell, LockOptions options, boolean forThread, Wait wait, boolean mayWait) {
        this.core = core;
        this.cell = cell;
        this.options = options;
        this.forThread = forThread;
        this.wait = wait;
        this.mayWait = mayWait;
    }

    /**
     * Acquires the lock. The cell is engaged to this thread, and is not any more when this returns or throws.
     *
     * @return the hold, or {@code null} if time ran out or an interrupt ended the wait, which the caller tells apart
     */
    @Nullable
    Hold contend() {
        cell.contender(Thread.currentThread());
        try {
            askAndWait();
            return hold;
        } catch (Throwable e) {
            abandonHold();
            throw e;
        } finally {
            try {
                giveUpPlace();
            } finally {
                if (hold == null) {
                    cell.passOn(null);
                }
            }
        }
    }

    /** As {@link #contend}, after a wait in the local queue, in which the time may have passed. */
    @Nullable
    Hold takeTurn(@Nullable Integer yieldSince) {
        boolean over = false;
        try {
            if (yieldSince != null && !core.protocol().queues()) {
                cell.contender(Thread.currentThread());
                cell.openWatch(core.protocol());
                awaitSignal(yieldSince, pace().yielding());
            }
            over = wait.isOver();
        } catch (Throwable e) {
            cell.passOn(null);
            throw e;
        }
        if (over) {
            cell.passOn(null);
            throwIfNobodyAnswers();
            return null;
        }
        return contend();
    }

    /** Keeps a wait that ends in an outage from reporting the lock as taken. */
    void throwIfNobodyAnswers() {
        LockBackendException outage = cell.contact().failure();
        if (outage != null && !wait.isEndedByInterrupt()) {
            throw asOurs(outage);
        }
    }

    /** A failure that another thread met gets a stack trace of this one. */
    static RuntimeException asOurs(RuntimeException failure) {
        return failure instanceof LockBackendException backend
                ? new LockBackendException(backend.reason(), String.valueOf(backend.getMessage()), backend)
                : new IllegalStateException(failure.getMessage(), failure);
    }

    /** An error after the grant: nobody gets the hold, so that its lease has to end by itself. */
    private void abandonHold() {
        if (hold != null) {
            hold.dropped = true;
            // Its use of the cell ends with it; that of this acquisition ends as well.
            cell.enter();
        }
    }

    /** A wait that ends at its time has one command time-out to give up its place; what takes longer goes to the background. */
    private void giveUpPlace() {
        if (place != null) {
            wait.takeInterrupt();
            core.releases().withdraw(place, wait.leftForRelease(place.timeout()));
            wait.takeInterrupt();
        }
    }

    private void askAndWait() {
        while (true) {
            int seen = cell.signals();
            ask();
            wait.takeInterrupt();
            if (hold != null) {
                return;
            }
            core.requireOpen();
            if (failure != null) {
                giveUpIfHopeless(failure);
            }
            if (!mayWait) {
                return;
            }
            cell.openWatch(core.protocol());
            if (failure == null) {
                awaitSignal(seen, pace().afterRefusal(retryAfter, cell.isListening(), place != null));
            } else {
                // Signals come with each reconnection, too, and would turn an outage into a storm of requests.
                long nanos = pace().afterFailure();
                awaitSignal(null, nanos / 2);
                awaitSignal(seen, nanos / 2);
            }
            core.requireOpen();
            if (wait.isOver()) {
                if (failure != null && !wait.isEndedByInterrupt()) {
                    throw failure;
                }
                return;
            }
        }
    }

    /** Made by the first wait; most acquisitions have none. */
    private Pace pace() {
        if (pace == null) {
            pace = core.newPace(options);
        }
        return pace;
    }

    private void ask() {
        boolean queued = place != null;
        Claim claim = place != null ? place : core.newClaim(cell, options, mayWait);
        place = null;
        failure = null;
        retryAfter = Optional.empty();
        attempts++;
        long startNanos = core.environment().nanoTime();
        long startMillis = core.environment().currentTimeMillis();
        try {
            Attempt attempt = core.protocol().attempt(claim);
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
                    core.releases().afterUnknownOutcome(claim);
                } else if (queued) {
                    core.releases().withdrawLater(claim);
                }
            }
        } catch (Throwable e) {
            core.releases().afterUnknownOutcome(claim);
            throw e;
        }
    }

    private void accept(Grant grant) {
        Claim claim = grant.claim;
        // Read again after the answer: whoever stood still meanwhile must not take an old grant for a fresh one.
        if (grant.remainingNanos(core.environment()) == 0) {
            core.releases().afterUnknownOutcome(claim);
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

    /**
     * Throws unless the failure may be ridden out. All who wait here and may not hope either are told too, and do not try one by
     * one.
     */
    private void giveUpIfHopeless(LockBackendException cause) {
        cell.failed(cause);
        Contact contact = cell.contact();
        cell.failAll(
                cause,
                waiter -> contact.isHopeless(
                        core.environment(), cause, waiter.options.lease().toNanos()));
        if (!mayWait
                || contact.isHopeless(core.environment(), cause, options.lease().toNanos())) {
            throw cause;
        }
    }

    /** Waits until the cell is signalled, unless that is not to matter, at most for a time. */
    private void awaitSignal(@Nullable Integer seen, long nanos) {
        long until = core.environment().nanoTime() + nanos;
        while ((seen == null || cell.signals() == seen) && !wait.isOver() && core.isOpen()) {
            long left = until - core.environment().nanoTime();
            if (left <= 0) {
                return;
            }
            wait.park(cell, left);
        }
    }
}
