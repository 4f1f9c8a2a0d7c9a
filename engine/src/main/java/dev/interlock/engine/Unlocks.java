// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.backend.Releases;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.observe.QuietLog;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Releases locks: {@code unlock()}, and {@code close()} of handles. Safe to use from any thread. */
final class Unlocks {
    private static final QuietLog LOG = QuietLog.of(Unlocks.class);

    private final Environment env;
    private final Observer observer;
    private final CellTable cells;
    private final Holds holds;
    private final Releases releases;
    private final Losses losses;
    private final LostHolds lostHolds;
    private final @Nullable ConditionProtocol conditions;

    Unlocks(
            Environment env,
            Observer observer,
            CellTable cells,
            Holds holds,
            Releases releases,
            Losses losses,
            LostHolds lostHolds,
            @Nullable ConditionProtocol conditions) {
        this.env = env;
        this.observer = observer;
        this.cells = cells;
        this.holds = holds;
        this.releases = releases;
        this.losses = losses;
        this.lostHolds = lostHolds;
        this.conditions = conditions;
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
                ? new IllegalMonitorStateException(
                        "the current thread does not hold lock \"" + LockSide.lockName(name) + "\"")
                : new LeaseLostException(LockSide.lockName(name), cause);
    }

    /** Gives up the hold of a handle, or throws if it was lost, once. */
    void close(Hold hold) {
        losses.expireIfOver(hold.grant);
        release(hold);
    }

    private void release(Hold hold) {
        switch (exit(hold, hold.grant.claim.timeout())) {
            case OVER -> throwIfLost(hold);
            case PART ->
                throw new IllegalMonitorStateException("the current thread holds lock \"" + hold.lockName()
                        + "\" only as part of a lock over several names: unlock that one");
            case INNER, HANDED_OVER, LAST -> {}
        }
    }

    private void throwIfLost(Hold hold) {
        if (hold.owner != null) {
            throw notHeld(hold.lockName());
        }
        if (hold.grant.cell.takeLossToThrow(hold)) {
            throw hold.lost();
        }
    }

    /**
     * Undoes one acquisition. After the last one, hands the grant to the next waiter here, or releases it.
     *
     * @param patience how long to wait for the answer of the backend
     */
    private Hold.Exit exit(Hold hold, Duration patience) {
        Hold.Exit exit = exit(hold, (SeveralHold) null);
        if (exit == Hold.Exit.LAST) {
            giveBack(hold, () -> releases.now(hold.grant.claim, patience));
        }
        return exit;
    }

    /** Undoes one acquisition, of the owner or of several names. After the last, the grant must be released. */
    Hold.Exit exit(Hold hold, @Nullable SeveralHold whole) {
        Hold.Exit exit = hold.grant.cell.exit(hold, whole, false, true);
        if (exit == Hold.Exit.INNER && hold.isOwnedBy(Thread.currentThread())) {
            holds.tellCount(hold);
        } else if (exit == Hold.Exit.HANDED_OVER) {
            released(hold);
            cells.leave(hold.grant.cell);
        }
        return exit;
    }

    private void giveBack(Hold hold, Supplier<@Nullable Release> request) {
        int signals = hold.grant.cell.signals();
        Release outcome = null;
        try {
            outcome = request.get();
        } finally {
            end(hold, signals, outcome);
        }
        if (outcome instanceof Release.Lost) {
            throw hold.lost();
        }
    }

    /**
     * Notes that a grant was released.
     *
     * @param signals the signals that were seen before
     * @param outcome the backend's answer, if there is one
     */
    void end(Hold hold, int signals, @Nullable Release outcome) {
        Cell cell = hold.grant.cell;
        if (outcome instanceof Release.Lost lost) {
            losses.announce(hold, cell.wasLostAtRelease(hold, lost.cause()));
        } else {
            released(hold);
        }
        boolean yields = !(outcome instanceof Release.Freed freed) || freed.othersMayWait();
        cell.passOn(yields ? signals : null);
        cells.leave(cell);
    }

    /**
     * Gives up all holds of the current thread, and has a claim of it wait for a condition. If somebody waits for the
     * lock here, the claim has to wait before that one gets it, since it may signal at once.
     *
     * @return why nobody knows whether the claim waits, or {@code null} if it does
     */
    @Nullable
    LockBackendException exitToWait(Hold hold, Claim waiter) {
        ConditionProtocol kept = Objects.requireNonNull(conditions, "only conditions that are supported are made");
        Cell cell = hold.grant.cell;
        Claim held = hold.grant.claim;
        Hold.Exit exit = cell.exit(hold, null, true, false);
        boolean waits = exit == Hold.Exit.INNER;
        if (waits) {
            if (Wait.undisturbed(() -> kept.await(held, waiter, false)) instanceof Release.Lost lost) {
                lost(hold, lost.cause());
            }
            exit = cell.exit(hold, null, true, true);
        }
        if (exit == Hold.Exit.OVER) {
            holds.require(hold.lockName());
        }
        if (exit == Hold.Exit.HANDED_OVER) {
            released(hold);
            cells.leave(cell);
            return null;
        }
        AtomicReference<@Nullable LockBackendException> failure = new AtomicReference<>();
        try {
            giveBack(hold, () -> {
                if (waits) {
                    return releases.now(held, held.timeout());
                }
                try {
                    return Wait.undisturbed(() -> kept.await(held, waiter, true));
                } catch (LockBackendException e) {
                    failure.set(e);
                    releases.afterUnknownOutcome(held);
                    return null;
                }
            });
        } catch (LeaseLostException e) {
            forfeit(hold.lockName(), hold.count, e.lossCause());
            throw e;
        }
        return failure.get();
    }

    /** Ends a hold of the current thread that the backend has reported lost, and throws the loss. */
    void lost(Hold hold, LossCause cause) {
        losses.lose(hold.grant, cause);
        LossCause noted = lostHolds.tellAgain(Thread.currentThread(), hold.lockName());
        // What is lost as part of a lock over several names alone is noted for that lock.
        throw new LeaseLostException(hold.lockName(), noted == null ? cause : noted);
    }

    /**
     * Counts as lost the holds that the current thread gave up to wait and does not get back. The caller tells the
     * thread.
     */
    void forfeit(String name, int count, LossCause cause) {
        lostHolds.add(Thread.currentThread(), name, count, cause);
        lostHolds.tell(Thread.currentThread(), name);
    }

    private void released(Hold hold) {
        // Listeners were not told of a hold that its acquisition did not return.
        if (hold.returned && observer.isOn()) {
            observer.released(hold.lockName(), hold.heldNanos(env));
        }
    }

    /** Gives up a hold that its acquisition cannot return, because the wait ended otherwise. */
    void giveUpUnused(Hold hold, Wait wait) {
        try {
            exit(hold, wait.leftForRelease(hold.grant.claim.timeout()));
        } catch (LeaseLostException e) {
            LOG.log(System.Logger.Level.DEBUG, "lost between the grant and the end of the wait", e);
        }
    }
}
