// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LossCause;
import dev.interlock.engine.backend.Releases;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.Interruption;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.threads.Notices;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles losses: tells the owner, and releases what may be left of the lock on the backend. Safe to use from any
 * thread.
 */
final class Losses {
    private static final QuietLog LOG = QuietLog.of(Losses.class);

    private final Environment env;
    private final Observer observer;
    private final CellTable cells;
    private final Releases releases;
    private final Notices notices;
    private final LostHolds lostHolds;

    Losses(
            Environment env,
            Observer observer,
            CellTable cells,
            Releases releases,
            Notices notices,
            LostHolds lostHolds) {
        this.env = env;
        this.observer = observer;
        this.cells = cells;
        this.releases = releases;
        this.notices = notices;
        this.lostHolds = lostHolds;
    }

    /** Ends the present hold of a grant, if any, because the grant is lost. */
    void lose(Grant grant, LossCause cause) {
        settle(grant, grant.cell.lose(grant, cause, lostHolds));
    }

    /** Ends the present hold of a grant, if there is one and its time is over. Logs and drops any exception. */
    void expireIfOver(Grant grant) {
        if (!grant.isOver(env)) {
            return;
        }
        try {
            settle(grant, grant.cell.lose(grant, null, lostHolds));
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "the end of lock \"" + grant.cell.lockName() + "\" failed", e);
        }
    }

    private void settle(Grant grant, Hold.@Nullable Loss loss) {
        if (loss == null) {
            return;
        }
        try {
            Thread owner = loss.hold().owner;
            Interruption interruption = loss.interruption();
            if (owner != null && interruption != null) {
                interrupt(owner, interruption);
            }
            announce(loss.hold(), loss.actions());
            loss.hold().wholes().forEach(whole -> whole.partLost(cause(loss.hold())));
            if (grant.mayOutlive()) {
                // Its thread may not have done what it was signalled for.
                releases.afterUnknownOutcome(grant.claim.withHeld(false));
            }
        } finally {
            cells.leave(grant.cell);
        }
    }

    /** An interrupt() of a class of the application runs where it can delay only code of the application. */
    void interrupt(Thread owner, Interruption interruption) {
        if (Interruption.isPlatform(owner)) {
            interruption.run(env, owner);
        } else {
            notices.add(() -> interruption.run(env, owner));
        }
    }

    /** Tells listeners of the loss of a hold, and runs the actions that were registered for it. */
    void announce(Hold hold, List<Consumer<? super LossCause>> actions) {
        // Listeners were not told of a hold that its acquisition did not return.
        if (hold.returned && observer.isOn()) {
            observer.lost(hold.lockName(), cause(hold), hold.heldNanos(env));
        }
        actions.forEach(action -> announce(hold, action));
    }

    /** Runs an action because of the loss of a hold. */
    void announce(AbstractHold hold, Consumer<? super LossCause> action) {
        LossCause cause = cause(hold);
        notices.add(() -> action.accept(cause));
    }

    private static LossCause cause(AbstractHold hold) {
        return Objects.requireNonNull(hold.lossCause, "only a loss is announced");
    }
}
