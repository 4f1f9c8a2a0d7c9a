// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;

/** How a holder gives up what it holds: by unlocking or by closing its handle. Safe to use from any thread. */
final class Unlocks {
    private static final QuietLog LOG = QuietLog.of(Unlocks.class);

    private final Environment env;
    private final Observer observer;
    private final CellTable cells;
    private final Holds holds;
    private final Releases releases;
    private final Losses losses;
    private final LostHolds lostHolds;

    Unlocks(
            Environment env,
            Observer observer,
            CellTable cells,
            Holds holds,
            Releases releases,
            Losses losses,
            LostHolds lostHolds) {
        this.env = env;
        this.observer = observer;
        this.cells = cells;
        this.holds = holds;
        this.releases = releases;
        this.losses = losses;
        this.lostHolds = lostHolds;
    }

    /** Gives up the hold of the current thread. */
    void unlock(String name) {
        Hold hold = holds.current(name);
        if (hold == null) {
            throw notHeld(name);
        }
        release(hold);
    }

    private IllegalMonitorStateException notHeld(String name) {
        LossCause cause = lostHolds.takeBack(Thread.currentThread(), name);
        return cause == null
                ? new IllegalMonitorStateException("the current thread does not hold lock \"" + name + "\"")
                : new LeaseLostException(name, cause);
    }

    /** Gives up the hold of a handle; tells of its loss once. */
    void close(Hold hold) {
        losses.expireIfOver(hold.grant);
        release(hold);
    }

    private void release(Hold hold) {
        if (!exit(hold, hold.grant.claim.timeout())) {
            if (hold.owner != null) {
                throw notHeld(hold.lockName());
            }
            if (hold.grant.cell.takeLossToThrow(hold)) {
                throw hold.lost();
            }
        }
    }

    /**
     * Undoes one acquisition; with the last one hands the grant over to the next waiter here, or gives it back.
     *
     * @param patience how long to wait for the answer of the backend
     * @return {@code false} if the hold was over before
     */
    private boolean exit(Hold hold, Duration patience) {
        Cell cell = hold.grant.cell;
        Hold.Exit exit = cell.exit(hold);
        switch (exit) {
            case OVER -> {}
            case INNER -> holds.tellCount(hold);
            case HANDED_OVER -> {
                released(hold);
                cells.leave(cell);
            }
            case LAST -> giveBack(hold, patience);
        }
        return exit != Hold.Exit.OVER;
    }

    private void giveBack(Hold hold, Duration patience) {
        Cell cell = hold.grant.cell;
        int signals = cell.signals();
        Release outcome = null;
        try {
            outcome = releases.now(hold.grant.claim, patience);
        } finally {
            if (outcome instanceof Release.Lost lost) {
                losses.announce(hold, cell.wasLostAtRelease(hold, lost.cause()));
            } else {
                released(hold);
            }
            boolean yields = !(outcome instanceof Release.Freed freed) || freed.othersMayWait();
            cell.passOn(yields ? signals : null);
            cells.leave(cell);
        }
        if (outcome instanceof Release.Lost) {
            throw hold.lost();
        }
    }

    private void released(Hold hold) {
        // Whoever counts the holds has not heard of one that its acquisition did not return.
        if (hold.returned && observer.isOn()) {
            observer.released(hold.lockName(), hold.heldNanos(env));
        }
    }

    /** Gives up a hold that its acquisition does not return after all, because of how its wait ended. */
    void giveUpUnused(Hold hold, Wait wait) {
        try {
            exit(hold, wait.leftForRelease(hold.grant.claim.timeout()));
        } catch (LeaseLostException e) {
            LOG.log(System.Logger.Level.DEBUG, "lost between the grant and the end of the wait", e);
        }
    }
}
