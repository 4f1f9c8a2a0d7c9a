// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.engine.backend.Contact;
import dev.interlock.engine.backend.Pace;
import dev.interlock.engine.threads.Wait;
import org.jspecify.annotations.Nullable;

/** Acquires a lock from the backend: asks, waits until the lock may be free, and asks again. Used by one thread, once. */
final class Acquisition extends Asking {
    private @Nullable Pace pace;

    Acquisition(EngineCore core, Cell cell, LockOptions options, boolean forThread, Wait wait, boolean mayWait) {
        super(core, cell, options, forThread, wait, mayWait);
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

    /**
     * Throws unless the failure may be ridden out. All who wait here and may not hope either are told too, and do not try one by
     * one.
     */
    private void giveUpIfHopeless(LockBackendException cause) {
        cell.failed(cause);
        Contact contact = cell.contact();
        cell.failAll(cause, waiter -> isHopeless(cause, contact, waiter.options));
        if (!mayWait || isHopeless(cause, contact, options)) {
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
