// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.threads.Wait;
import dev.interlock.engine.threads.Waiter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks: by re-entry, by hand-off from a holder of this factory through the local queue, or from the backend,
 * see {@link Acquisition}. Safe to use from any thread.
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
     * @param whole the lock over several names that it is to be a part of, if it is for one
     * @return the hold, or {@code null} if the time ran out
     */
    @Nullable
    Hold acquire(String name, LockOptions options, boolean forThread, Wait wait, @Nullable SeveralHold whole)
            throws InterruptedException {
        wait.begin();
        try {
            core.requireOpen();
            Hold mine = holds.current(name);
            if (mine != null) {
                if (!forThread) {
                    throw new IllegalStateException("the current thread holds lock \"" + LockSide.lockName(name)
                            + "\" and would wait for itself; use lease() to look at its own hold");
                }
                if (holds.reenter(mine, whole)) {
                    return mine;
                }
            }
            holds.throwIfLost(name);
            return acquireAfresh(name, options, forThread, wait, 1, null, whole);
        } finally {
            wait.end();
        }
    }

    /**
     * Acquires a lock for the current thread, which has given it up to wait for a condition.
     *
     * @param count how often the thread held the lock before the wait, and holds it again afterwards
     * @param place the claim that waited, if it was signalled
     * @throws IllegalStateException if the factory is closed
     */
    Hold comeBack(String name, LockOptions options, int count, @Nullable Claim place) {
        Wait wait = Wait.uninterruptibly(env);
        wait.takeInterrupt();
        try {
            return Objects.requireNonNull(
                    acquireAfresh(name, options, true, wait, count, place, null), "waits for ever");
        } catch (InterruptedException e) {
            throw new AssertionError("this wait is not interruptible", e);
        } finally {
            wait.end();
        }
    }

    private @Nullable Hold acquireAfresh(
            String name,
            LockOptions options,
            boolean forThread,
            Wait wait,
            int count,
            @Nullable Claim place,
            @Nullable SeveralHold whole)
            throws InterruptedException {
        boolean observed = observer.isOn();
        long sinceNanos = observed ? env.nanoTime() : 0;
        if (observed) {
            observer.requested(LockSide.lockName(name));
        }
        Claim first = place;
        while (true) {
            Hold hold = acquireOnce(name, options, forThread, wait, first);
            first = null;
            if (wait.isEndedByInterrupt()) {
                if (hold != null) {
                    unlocks.giveUpUnused(hold, wait);
                }
                wait.throwIfInterrupted();
            }
            if (hold == null || isReturned(hold, count, whole)) {
                if (hold != null && observed) {
                    observer.acquired(
                            LockSide.lockName(name),
                            env.nanoTime() - sinceNanos,
                            hold.attempts,
                            hold.isLocal(),
                            hold.fence());
                }
                return hold;
            }
        }
    }

    private boolean isReturned(Hold hold, int count, @Nullable SeveralHold whole) {
        try {
            boolean returned = holds.isReturned(hold, count, whole);
            if (returned) {
                holds.tellCount(hold);
            }
            return returned;
        } catch (Throwable e) {
            hold.dropped = true;
            throw e;
        }
    }

    /** Creates the hold of a granted part of a lock over several names. Called by the engaged thread. */
    void begin(Grant grant, SeveralHold whole) {
        Hold hold = grant.cell.begin(grant, whole.owner, whole.options, core.open());
        if (hold == null) {
            throw new IllegalStateException("the lock factory is closed");
        }
        hold.attempts = 1;
        whole.put(hold);
        if (!isReturned(hold, 1, whole)) {
            whole.partLost(LossCause.EXPIRED);
        } else if (observer.isOn()) {
            observer.requested(hold.lockName());
            observer.acquired(hold.lockName(), env.nanoTime() - grant.confirmedNanos(), 1, false, hold.fence());
        }
    }

    private @Nullable Hold acquireOnce(
            String name, LockOptions options, boolean forThread, Wait wait, @Nullable Claim place) {
        core.startTimer();
        Cell cell = cells.enter(name);
        Hold hold = null;
        try {
            // Checked again after entering the cell: close() waits for the users of cells, so that grants are released
            // in time, but it does not know of threads that have not entered yet.
            core.requireOpen();
            Acquisition acquisition = new Acquisition(core, cell, options, forThread, wait, !wait.isTimeOver());
            acquisition.place = place;
            hold = contendOrQueue(acquisition);
            for (Waiter<Hold> again = acquisition.takeQueued(); again != null; again = acquisition.takeQueued()) {
                hold = queue(again, acquisition);
            }
            return hold;
        } finally {
            if (hold == null) {
                cells.leave(cell);
            }
        }
    }

    private @Nullable Hold contendOrQueue(Acquisition acquisition) {
        Cell cell = acquisition.cell;
        if (cell.tryEngage()) {
            // The cell is engaged without a wait in the queue. So the thread asks once, however short its time is.
            return acquisition.contend();
        }
        if (!acquisition.mayWait) {
            acquisition.throwIfNobodyAnswers();
            return null;
        }
        Waiter<Hold> waiter = acquisition.newWaiter();
        if (cell.engageOrEnqueue(waiter)) {
            return acquisition.contend();
        }
        if (waiter.place != null) {
            // The backend may have refused the request because it granted the lock to this waiter meanwhile.
            cell.signal();
        }
        return queue(waiter, acquisition);
    }

    private @Nullable Hold queue(Waiter<Hold> waiter, Acquisition acquisition) {
        Cell cell = acquisition.cell;
        try {
            if (!awaitTurn(cell, waiter, acquisition.wait)) {
                acquisition.giveUpPlace();
                core.requireOpen();
                acquisition.throwIfNobodyAnswers();
                return null;
            }
        } catch (Throwable e) {
            leaveQueue(cell, waiter, acquisition.wait);
            acquisition.giveUpPlace();
            throw e;
        }
        if (waiter.state == Waiter.State.CONTENDER) {
            return acquisition.takeTurn(waiter.yieldSince);
        }
        acquisition.giveUpPlace();
        if (waiter.state == Waiter.State.FAILED) {
            throw Acquisition.asOurs(Objects.requireNonNull(waiter.failure));
        }
        return Objects.requireNonNull(waiter.hold);
    }

    /** Waits until the waiter has left the queue. Returns {@code false} if it left because the wait is over. */
    private boolean awaitTurn(Cell cell, Waiter<Hold> waiter, Wait wait) {
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

    /** Called after an error: gives up the place in the queue, or the grant or engagement that it led to. */
    private void leaveQueue(Cell cell, Waiter<Hold> waiter, Wait wait) {
        if (cell.withdraw(waiter)) {
            return;
        }
        if (waiter.state == Waiter.State.CONTENDER) {
            cell.passOn(null);
        } else if (waiter.state == Waiter.State.GRANTED) {
            Hold hold = Objects.requireNonNull(waiter.hold);
            // The cell counts one user more, since both the hold and this acquisition will leave it.
            cell.enter();
            hold.dropped = true;
            unlocks.giveUpUnused(hold, wait);
        }
    }
}
