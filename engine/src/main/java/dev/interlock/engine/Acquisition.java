// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.engine.backend.Contact;
import dev.interlock.engine.backend.Pace;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.engine.threads.Wait;
import dev.interlock.engine.threads.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Acquires a lock from the backend: asks, waits until the lock may be free, and asks again. Used by one thread, once.
 */
final class Acquisition extends AcquireRequests {
    private @Nullable Pace pace;

    /**
     * This thread's waiter in the local queue, after the thread has given way to another one; {@code null} otherwise.
     */
    private @Nullable Waiter<Hold> queued;

    Acquisition(EngineCore core, Cell cell, LockOptions options, boolean forThread, Wait wait, boolean mayWait) {
        super(core, cell, options, forThread, wait, mayWait);
    }

    /**
     * Acquires the lock. This thread has engaged the cell before the call; the engagement has ended when the call
     * returns or throws.
     *
     * @return the hold; {@code null} if the time ran out, if an interrupt ended the wait (the caller finds out which of
     *     the two), or if this thread is {@linkplain #takeQueued in the queue} again
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
            if (queued == null) {
                try {
                    giveUpPlace();
                } finally {
                    if (hold == null) {
                        cell.passOn(null);
                    }
                }
            }
        }
    }

    /** Makes a waiter in the local queue of this thread. */
    Waiter<Hold> newWaiter() {
        Waiter<Hold> waiter = new Waiter<>(Thread.currentThread(), forThread, options, wait.isAnswered());
        waiter.place = place;
        return waiter;
    }

    /** Returns and forgets this thread's waiter in the local queue, if the thread has given way to another one. */
    @Nullable
    Waiter<Hold> takeQueued() {
        Waiter<Hold> waiter = queued;
        queued = null;
        return waiter;
    }

    /** As {@link #contend}, after a wait in the local queue, during which the time may have run out. */
    @Nullable
    Hold takeTurn(@Nullable Integer yieldSince) {
        boolean over = false;
        try {
            if (yieldSince != null && !core.protocol().queues(cell.name)) {
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
            giveUpPlace();
            throwIfNobodyAnswers();
            return null;
        }
        return contend();
    }

    /** Throws if the wait ends during an outage: then it is not known whether the lock is taken. */
    void throwIfNobodyAnswers() {
        if (!wait.isEndedByInterrupt()) {
            throwIfInOutage(cell);
        }
    }

    static void throwIfInOutage(Cell cell) {
        LockBackendException outage = cell.contact().failure();
        if (outage != null) {
            throw asOurs(outage);
        }
    }

    /** Copies a failure that another thread met, with the stack trace of this thread. */
    static RuntimeException asOurs(RuntimeException failure) {
        return failure instanceof LockBackendException backend
                ? new LockBackendException(backend.reason(), String.valueOf(backend.getMessage()), backend)
                : new IllegalStateException(failure.getMessage(), failure);
    }

    /** Called after an error that followed the grant: no owner gets the hold, so its lease must end by itself. */
    private void abandonHold() {
        if (hold != null) {
            hold.dropped = true;
            // The cell counts one user more, since both the hold and this acquisition will leave it.
            cell.enter();
        }
    }

    /**
     * A wait that ends at its time has one command time-out to give up its place; what takes longer goes to the
     * background. The place of a thread that was signalled is given up when another claim
     * {@linkplain ConditionProtocol#adopt adopts} the signal.
     */
    void giveUpPlace() {
        if (place != null && place.condition().isEmpty()) {
            wait.takeInterrupt();
            core.releases().withdraw(place, wait.leftForRelease(place.timeout()));
            wait.takeInterrupt();
        }
    }

    private void askAndWait() {
        while (true) {
            int seen = cell.signals();
            // Two threads may have been told if the first grant is over. If both gave way, neither would ever ask.
            boolean told = isTold();
            if (!told && givesWay()) {
                return;
            }
            ask();
            wait.takeInterrupt();
            if (hold != null || (told && failure == null && givesWay())) {
                return;
            }
            core.requireOpen();
            if (failure != null) {
                giveUpIfHopeless(failure);
            }
            if (!mayWait) {
                return;
            }
            Watch watch = cell.openWatch(core.protocol());
            if (failure == null) {
                awaitSignal(seen, afterRefusal(watch));
            } else {
                // Each reconnection signals too, and in an outage these signals would cause a storm of requests.
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

    /** Returns whether a message has said that the lock was granted to this thread. Asking forgets the message. */
    private boolean isTold() {
        ConditionProtocol conditions = core.conditions().protocolIfAny();
        return conditions != null && place != null && conditions.isTold(place);
    }

    /**
     * Lets a thread of the local queue ask instead of this one if the backend has granted the lock to that thread,
     * because it was signalled or gave way before. Otherwise the grant would wait for that thread, and that thread for
     * this one.
     */
    private boolean givesWay() {
        ConditionProtocol conditions = core.conditions().protocolIfAny();
        if (conditions != null
                && mayWait
                && cell.queueLength() > 0
                && core.protocol().queues(cell.name)) {
            Waiter<Hold> waiter = newWaiter();
            queued = cell.giveWay(waiter, conditions::isTold) ? waiter : null;
        }
        return queued != null;
    }

    private long afterRefusal(Watch watch) {
        return watch.equals(Watch.POLLING)
                ? pace().betweenPolls(retryAfter)
                : pace().afterRefusal(retryAfter, watch.isListening(), place != null);
    }

    /** Created by the first wait, since most acquisitions never wait. */
    private Pace pace() {
        if (pace == null) {
            pace = core.newPace(options);
        }
        return pace;
    }

    /**
     * Throws unless the wait may go on after this failure. Also fails all waiters here whose waits may not go on
     * either, so that they do not try one by one.
     */
    private void giveUpIfHopeless(LockBackendException cause) {
        cell.failed(cause);
        Contact contact = cell.contact();
        cell.failAll(cause, waiter -> isHopeless(cause, contact, waiter.options, waiter.answered));
        if (!mayWait || isHopeless(cause, contact, options, wait.isAnswered())) {
            throw cause;
        }
    }

    /** Waits for the given time at most, or until the cell is signalled if signals count. */
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
