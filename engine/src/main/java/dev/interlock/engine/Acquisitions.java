// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.threads.Wait;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How locks are acquired: by entering a hold again, from a holder here by way of the local queue, or else from the backend, see
 * {@link Acquisition}. Safe to use from any thread.
 */
final class Acquisitions {
    private final EngineCore core;
    private final Environment env;
    private final Observer observer;
    private final CellTable cells;
    private final Holds holds;
    private final Unlocks unlocks;

    Acquisitions(EngineCore core, Observer observer, CellTable cells, Holds holds, Unlocks unlocks) {
        this.core = core;
        this.env = core.environment();
        this.observer = observer;
        this.cells = cells;
        this.holds = holds;
        this.unlocks = unlocks;
    }

    /**
     * Acquires a lock for the current thread or for a handle.
     *
     * @return the hold, or {@code null} if the time ran out
     */
    @Nullable
    Hold acquire(String name, LockOptions options, boolean forThread, Wait wait) throws InterruptedException {
        wait.begin();
        try {
            core.requireOpen();
            Hold mine = holds.current(name);
            if (mine != null) {
                if (!forThread) {
                    throw new IllegalStateException("the current thread holds lock \"" + name
                            + "\" and would wait for itself; use lease() to look at its own hold");
                }
                if (holds.reenter(mine)) {
                    return mine;
                }
            }
            holds.throwIfLost(name);
            boolean observed = observer.isOn();
            long sinceNanos = observed ? env.nanoTime() : 0;
            if (observed) {
                observer.requested(name);
            }
            Hold hold = acquireAfresh(name, options, forThread, wait);
            if (hold != null && observed) {
                observer.acquired(name, env.nanoTime() - sinceNanos, hold.attempts, hold.local, hold.fence);
            }
            return hold;
        } finally {
            wait.end();
        }
    }

    private @Nullable Hold acquireAfresh(String name, LockOptions options, boolean forThread, Wait wait)
            throws InterruptedException {
        while (true) {
            Hold hold = acquireOnce(name, options, forThread, wait);
            if (wait.isEndedByInterrupt()) {
                if (hold != null) {
                    unlocks.giveUpUnused(hold, wait);
                }
                wait.throwIfInterrupted();
            }
            if (hold == null || isReturned(hold)) {
                return hold;
            }
        }
    }

    private boolean isReturned(Hold hold) {
        try {
            boolean returned = holds.isReturned(hold);
            if (returned) {
                holds.tellCount(hold);
            }
            return returned;
        } catch (Throwable e) {
            hold.dropped = true;
            throw e;
        }
    }

    private @Nullable Hold acquireOnce(String name, LockOptions options, boolean forThread, Wait wait) {
        core.startTimer();
        Cell cell = cells.enter(name);
        Hold hold = null;
        try {
            // Checked again by a user of the cell: close() waits for users, so that a grant is given back in time. It
            // does not know of a thread that has not entered yet.
            core.requireOpen();
            hold = contendOrQueue(cell, options, forThread, wait);
            return hold;
        } finally {
            if (hold == null) {
                cells.leave(cell);
            }
        }
    }

    private @Nullable Hold contendOrQueue(Cell cell, LockOptions options, boolean forThread, Wait wait) {
        boolean mayWait = !wait.isTimeOver();
        Acquisition acquisition = new Acquisition(core, cell, options, forThread, wait, mayWait);
        if (cell.tryEngage()) {
            // However short its time, whoever need not queue asks once.
            return acquisition.contend();
        }
        if (!mayWait) {
            acquisition.throwIfNobodyAnswers();
            return null;
        }
        Waiter waiter = new Waiter(Thread.currentThread(), forThread, options);
        return cell.engageOrEnqueue(waiter) ? acquisition.contend() : queue(cell, waiter, acquisition, wait);
    }

    private @Nullable Hold queue(Cell cell, Waiter waiter, Acquisition acquisition, Wait wait) {
        try {
            if (!awaitTurn(cell, waiter, wait)) {
                core.requireOpen();
                acquisition.throwIfNobodyAnswers();
                return null;
            }
        } catch (Throwable e) {
            leaveQueue(cell, waiter, wait);
            throw e;
        }
        return switch (waiter.state) {
            case GRANTED -> Objects.requireNonNull(waiter.hold);
            case FAILED -> throw Acquisition.asOurs(Objects.requireNonNull(waiter.failure));
            default -> acquisition.takeTurn(waiter.yieldSince);
        };
    }

    /** Waits until the waiter is out of the queue; returns {@code false} if that is because the wait is over. */
    private boolean awaitTurn(Cell cell, Waiter waiter, Wait wait) {
        while (waiter.state == Waiter.State.QUEUED) {
            // A factory that was closed before this thread was in the queue does not wake it.
            if (!core.isOpen() || wait.isOver()) {
                if (cell.withdraw(waiter)) {
                    return false;
                }
            } else {
                wait.park(cell, Long.MAX_VALUE);
            }
        }
        return true;
    }

    /** After an error: gives up the place in the queue, or what has come of it. */
    private void leaveQueue(Cell cell, Waiter waiter, Wait wait) {
        if (cell.withdraw(waiter)) {
            return;
        }
        if (waiter.state == Waiter.State.CONTENDER) {
            cell.passOn(null);
        } else if (waiter.state == Waiter.State.GRANTED) {
            Hold hold = Objects.requireNonNull(waiter.hold);
            // Its use of the cell ends with it; that of this acquisition ends as well.
            cell.enter();
            hold.dropped = true;
            unlocks.giveUpUnused(hold, wait);
        }
    }
}
