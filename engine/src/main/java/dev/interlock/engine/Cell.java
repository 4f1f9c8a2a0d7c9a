// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.loss.Interruption;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.threads.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock name in one factory: its holder here, its grant, and its waiters here. A monitor; see {@link
 * LocalQueue}.
 */
final class Cell extends LocalQueue {
    private static final long serialVersionUID = 1L;

    private static final AtomicIntegerFieldUpdater<Cell> USERS =
            AtomicIntegerFieldUpdater.newUpdater(Cell.class, "users");

    /** The number of users. Once it is zero, it stays zero. */
    @SuppressWarnings("UnusedVariable") // The updater uses it.
    private transient volatile int users = 1;

    private transient volatile @Nullable Hold holder;

    /** The number of fencing tokens to reserve for hand-offs, beyond those to the present waiters. */
    private transient int reserve;

    Cell(String name, CellTable table) {
        super(name, table);
    }

    /** Adds a user; returns {@code false} if the last one has left. */
    boolean enter() {
        return USERS.getAndUpdate(this, count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Removes a user; returns whether it was the last one. */
    boolean leave() {
        return USERS.decrementAndGet(this) == 0;
    }

    @Override
    boolean isHeldHere() {
        return holder != null;
    }

    @Nullable
    Hold holder() {
        return holder;
    }

    /**
     * Returns how many fencing tokens to reserve: one for the caller, one for each waiter that may be handed the grant,
     * and more if earlier grants of this cell had too few.
     */
    synchronized int fencesWanted() {
        return 1 + Math.min(Math.max(queueLength(), reserve), table.localHandoffs);
    }

    /**
     * Creates the first hold of a fresh grant. Called by the engaged thread, whose engagement ends unless this fails.
     *
     * @return the hold, or {@code null} if the factory is closed
     */
    synchronized @Nullable Hold begin(Grant grant, @Nullable Thread owner, LockOptions options, BooleanSupplier open) {
        if (!open.getAsBoolean()) {
            return null;
        }
        Hold hold = new Hold(grant, owner, options, table.env.nanoTime());
        grant.begin(hold, table.env, table.timer);
        hold(hold);
        return hold;
    }

    private void hold(@Nullable Hold hold) {
        holder = hold;
        setExclusiveOwnerThread(hold == null ? null : hold.owner);
        if (hold != null) {
            disengage();
        }
    }

    /** Notes that the acquisition returns a hold to its owner; returns {@code false} if it is over by then. */
    synchronized boolean hasReturned(Hold hold, int count, @Nullable SeveralHold whole) {
        return hold.beReturned(table.env, table.timer, count, whole);
    }

    /** Notes that the owner of a part of a lock over several names has all of them now. */
    synchronized void settle(Hold hold) {
        hold.settle(table.env, table.timer);
    }

    /** Adds to the count of a hold; returns {@code false} if it is over. */
    synchronized boolean reenter(Hold hold, @Nullable SeveralHold whole) {
        return hold.reenter(whole);
    }

    /**
     * Undoes one acquisition, or all. After the last one, hands the grant over to the next waiter here, or engages the
     * caller. If {@code mayHandOver} is {@code false} and somebody waits here, does nothing and returns
     * {@link Hold.Exit#INNER}.
     */
    Hold.Exit exit(Hold hold, @Nullable SeveralHold whole, boolean all, boolean mayHandOver) {
        Waiter<Hold> next;
        synchronized (this) {
            if (hold.state == Hold.State.HELD && !mayHandOver && first() != null) {
                return Hold.Exit.INNER;
            }
            Hold.Exit exit = hold.leave(whole, all);
            if (exit != Hold.Exit.LAST) {
                return exit;
            }
            hold.state = Hold.State.RELEASED;
            next = handOver(hold);
            if (next == null) {
                end(hold.grant);
                engage();
                return Hold.Exit.LAST;
            }
        }
        wake(next);
        return Hold.Exit.HANDED_OVER;
    }

    /** Hands the grant of a hold to the next waiter here, if there is one and enough is left of the grant. */
    private @Nullable Waiter<Hold> handOver(Hold last) {
        Grant grant = last.grant;
        Waiter<Hold> next = first();
        if (next == null
                || grant.handoffs() >= table.localHandoffs
                || grant.isBeforeTakeover()
                || !last.isGoodFor(table.env, next.options)) {
            return null;
        }
        if (!grant.hasFence()) {
            // The claim reserved too few tokens, since the waiters came later. The next claims reserve more.
            reserve = Math.min(2 * reserve + 1, table.localHandoffs);
            return null;
        }
        hold(grant.passTo(next, table.env, table.timer));
        take(next, Waiter.State.GRANTED);
        return next;
    }

    /** Removes a grant from its hold, from the timer and from the cell. */
    private void end(Grant grant) {
        grant.hold = null;
        grant.forgetRenewal();
        table.timer.cancel(grant);
        hold(null);
    }

    /**
     * Ends the present hold of a grant because the grant is lost, and lets the next waiter here try.
     *
     * @param cause why, or {@code null} to end the hold only if its time is over, with the cause that applies
     * @return the loss, or {@code null} if there is none
     */
    Hold.@Nullable Loss lose(Grant grant, @Nullable LossCause cause, LostHolds lostHolds) {
        Waiter<Hold> next;
        Hold.Loss loss;
        synchronized (this) {
            Hold hold = grant.hold;
            if (hold == null || (cause == null && !grant.isOver(table.env))) {
                return null;
            }
            LossCause why = cause != null ? cause : hold.whyOver();
            Interruption interruption = null;
            Thread owner = hold.owner;
            if (owner != null && hold.returned && hold.countOfItsOwn() > 0) {
                interruption = lostHolds.add(owner, name, hold.countOfItsOwn(), why);
            }
            end(grant);
            next = takeNext(null);
            loss = new Hold.Loss(hold, hold.lose(why), hold.options.interruptOnLoss() ? interruption : null);
        }
        wake(next);
        return loss;
    }

    /** Notes that the lock was already lost when it was released; returns the actions to run because of that. */
    synchronized List<Consumer<? super LossCause>> wasLostAtRelease(Hold hold, LossCause cause) {
        hold.lossThrown = true;
        return hold.lose(cause);
    }

    /** Returns whether the loss of a handle must still be thrown; true only once. */
    synchronized boolean takeLossToThrow(Hold hold) {
        return hold.takeLossToThrow();
    }

    /** Registers an action for the loss of a hold; returns {@code false} if the hold is lost already. */
    synchronized boolean addLossAction(Hold hold, Consumer<? super LossCause> action) {
        return hold.addLossAction(action);
    }

    synchronized void removeLossAction(Hold hold, Consumer<? super LossCause> action) {
        hold.removeLossAction(action);
    }

    /**
     * Begins the renewal of a grant whose timer has fired.
     *
     * @return the claim to be renewed, or {@code null} if there is nothing to renew now
     */
    synchronized @Nullable Claim beginPlannedRenewal(Grant grant) {
        return grant.beginPlannedRenewal(table.env, table.timer);
    }

    /** Plans an immediate renewal of a grant that may have been lost unnoticed. */
    synchronized void renewSoon() {
        Hold hold = holder;
        if (hold != null) {
            hold.grant.renewSoon(table.env, table.timer);
        }
    }

    /** Begins a renewal that the holder waits for; returns {@code false} if the hold is over. */
    synchronized boolean beginRenewal(Hold hold) {
        if (hold.grant.hold != hold) {
            return false;
        }
        hold.grant.renewalBegins();
        return true;
    }

    /**
     * Notes that a renewal failed before its outcome was known, and plans another.
     *
     * @param asked the lease that was to be asked for, or {@code null} if the renewal had not begun
     */
    synchronized void renewalFailed(Grant grant, @Nullable Duration asked) {
        grant.renewalFailed(table.env, table.timer, asked);
    }

    /** Notes the outcome of a renewal, unless the grant is lost. */
    synchronized void endRenewal(Renewals.Request request, Renewal outcome) {
        request.grant().endRenewal(table.env, table.timer, request, outcome);
    }
}
