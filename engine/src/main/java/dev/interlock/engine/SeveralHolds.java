// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.loss.Interruption;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.several.NameSet;
import dev.interlock.engine.several.NamesOfThread;
import dev.interlock.engine.threads.Wait;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The holds of locks over several names: acquires them, gives them up, and ends them if a part is lost. Safe to use
 * from any thread.
 */
final class SeveralHolds {
    private final EngineCore core;
    private final SeveralParts parts;

    /** The holds of locks over several names that threads have lost, by the keys of their sets. */
    private final LostHolds lostHolds;

    /** The keys contain the thread, so that one that does not yet know of its loss does not block the next holder. */
    private final ConcurrentHashMap<NamesOfThread, SeveralHold> held = new ConcurrentHashMap<>();

    SeveralHolds(EngineCore core, Duration commandTimeout) {
        this.core = core;
        this.parts = new SeveralParts(core);
        this.lostHolds = new LostHolds(core.environment(), commandTimeout.toNanos());
    }

    /**
     * Acquires a lock for the current thread or for a handle. A part that is lost meanwhile is acquired again, with all
     * the others.
     *
     * @return the hold, or {@code null} if the time ran out
     */
    @Nullable
    SeveralHold acquire(NameSet names, LockOptions options, boolean forThread, Wait wait) throws InterruptedException {
        wait.begin();
        try {
            core.requireOpen();
            SeveralHold mine = current(names);
            if (mine != null && forThread && reenter(mine)) {
                return mine;
            }
            throwIfLost(names);
            return acquireAfresh(names, options, forThread, wait);
        } finally {
            wait.end();
        }
    }

    private @Nullable SeveralHold acquireAfresh(NameSet names, LockOptions options, boolean forThread, Wait wait)
            throws InterruptedException {
        while (true) {
            parts.requireOrder(names, forThread, !wait.isTimeOver());
            SeveralHold whole = new SeveralHold(this, names, forThread ? Thread.currentThread() : null, options);
            if (!parts.takeAllOrNone(whole, wait)) {
                return null;
            }
            if (isReturned(whole, wait)) {
                return whole;
            }
        }
    }

    private boolean isReturned(SeveralHold whole, Wait wait) {
        whole.parts().forEach(part -> part.grant.cell.settle(part));
        Thread owner = whole.owner;
        if (owner != null) {
            lostHolds.forget(owner, whole.names.key());
            held.put(new NamesOfThread(owner, whole.names), whole);
        }
        if (whole.beReturned()) {
            return true;
        }
        end(whole);
        parts.giveUp(whole, wait);
        return false;
    }

    /** Removes a hold that is over from the table. */
    private void end(SeveralHold whole) {
        Thread owner = whole.owner;
        if (owner != null) {
            held.remove(new NamesOfThread(owner, whole.names), whole);
        }
    }

    /** Returns the hold of the current thread, if it has one that is not over. */
    @Nullable
    SeveralHold current(NameSet names) {
        SeveralHold whole = held.get(new NamesOfThread(Thread.currentThread(), names));
        if (whole == null || isHeld(whole)) {
            return whole;
        }
        // Another thread may be about to give up the parts, and may not be done yet.
        parts.giveUpLater(whole);
        return null;
    }

    /** Returns the count of the current thread's hold, even if it is over. Has no effect. */
    int lastCount(NameSet names) {
        SeveralHold whole = held.get(new NamesOfThread(Thread.currentThread(), names));
        return whole == null ? 0 : whole.count;
    }

    /** As {@link #current}; if there is no hold, a thread that lost the lock counts as told of the loss. */
    @Nullable
    SeveralHold currentOrTell(NameSet names) {
        SeveralHold whole = current(names);
        if (whole == null) {
            lostHolds.tell(Thread.currentThread(), names.key());
        }
        return whole;
    }

    boolean isHeldByCurrentThread(NameSet names) {
        SeveralHold whole = currentOrTell(names);
        return whole != null
                && whole.parts().stream().allMatch(core.holds()::isBeyondDoubt)
                && currentOrTell(names) != null;
    }

    /** Returns whether a hold is not over; ends it if a part of it is. */
    private boolean isHeld(SeveralHold whole) {
        for (Hold part : whole.parts()) {
            core.losses().expireIfOver(part.grant);
            LossCause cause = part.lossCause;
            if (part.state == AbstractHold.State.LOST && cause != null) {
                lose(whole, cause);
            }
        }
        return whole.state == AbstractHold.State.HELD;
    }

    private boolean reenter(SeveralHold whole) {
        whole.parts().forEach(core.holds()::confirmIfDue);
        if (!isHeld(whole)) {
            return false;
        }
        return whole.reenter();
    }

    private void throwIfLost(NameSet names) {
        LossCause cause = lostHolds.tell(Thread.currentThread(), names.key());
        if (cause != null) {
            throw new LeaseLostException(names.text(), cause);
        }
    }

    /** Ends a hold because a part of it is lost: tells the owner, and releases the other parts in the background. */
    void lose(SeveralHold whole, LossCause cause) {
        SeveralHold.Loss loss = whole.lose(cause, lostHolds);
        if (loss == null) {
            return;
        }
        parts.giveUpLater(whole);
        end(whole);
        Interruption interruption = loss.interruption();
        if (whole.owner != null && interruption != null) {
            core.losses().interrupt(whole.owner, interruption);
        }
        loss.actions().forEach(action -> core.losses().announce(whole, action));
    }

    /** Gives up the hold of the current thread. */
    void unlock(NameSet names) {
        SeveralHold whole = current(names);
        if (whole == null || !release(whole)) {
            LossCause cause = lostHolds.takeBack(Thread.currentThread(), names.key());
            throw cause == null
                    ? new IllegalMonitorStateException("the current thread does not hold the lock over " + names.text())
                    : new LeaseLostException(names.text(), cause);
        }
    }

    /** Gives up the hold of a handle, or throws if it was lost, once. */
    void close(SeveralHold whole) {
        isHeld(whole);
        if (release(whole)) {
            return;
        }
        if (whole.isLossToThrow()) {
            throw whole.lost();
        }
    }

    /** Undoes one acquisition; returns {@code false} if the hold is over. */
    private boolean release(SeveralHold whole) {
        Hold.Exit exit = whole.exit();
        if (exit == Hold.Exit.LAST) {
            end(whole);
            LossCause lost =
                    parts.giveUp(whole, whole.parts().get(0).grant.claim.timeout());
            if (lost != null) {
                whole.wasLostAtRelease(lost).forEach(action -> core.losses().announce(whole, action));
                throw whole.lost();
            }
        }
        return exit != Hold.Exit.OVER;
    }

    void onLoss(SeveralHold whole, Consumer<? super LossCause> action) {
        if (!whole.keep(action)) {
            core.losses().announce(whole, action);
        }
    }

    void ensureValid(SeveralHold whole, Duration atLeast) {
        requireHeld(whole);
        // Two rounds: while one lease is extended, another that was long enough grows shorter.
        for (int round = 0; round < 2; round++) {
            try {
                whole.parts().forEach(part -> core.leases().ensureValid(part, atLeast));
            } finally {
                // The owner is told of the loss of the whole lock, and not of a part that was lost or given up with it.
                requireHeld(whole);
            }
        }
        Duration left = Duration.ofNanos(whole.remainingNanos(core.environment()));
        if (left.compareTo(atLeast) < 0) {
            requireHeld(whole);
            throw new LockBackendException(
                    LockBackendException.Reason.UNREACHABLE,
                    "the locks " + whole.lockName() + " were extended, but the answers took so long that only " + left
                            + " of " + atLeast + " are left");
        }
    }

    private void requireHeld(SeveralHold whole) {
        if (isHeld(whole)) {
            return;
        }
        if (whole.state == AbstractHold.State.RELEASED) {
            throw new IllegalStateException("the lease of the lock over " + whole.lockName() + " was given up");
        }
        if (whole.isOwnedBy(Thread.currentThread())) {
            lostHolds.precludeInterrupt(Thread.currentThread(), whole.names.key());
        }
        throw whole.lost();
    }
}
