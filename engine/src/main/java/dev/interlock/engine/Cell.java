// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.loss.Interruption;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one factory knows about one name: who holds the lock here, by which grant, and who waits for it here. A monitor; see
 * {@link LocalQueue}.
 */
final class Cell extends LocalQueue {
    private static final long serialVersionUID = 1L;

    private static final AtomicIntegerFieldUpdater<Cell> USERS =
            AtomicIntegerFieldUpdater.newUpdater(Cell.class, "users");

    /** How many use the cell. Once there is none, there is none ever after. */
    @SuppressWarnings("UnusedVariable") // The updater uses it.
    private transient volatile int users = 1;

    private transient volatile @Nullable Hold holder;

    /** How many fencing tokens to reserve for hand-overs beyond those who wait already. */
    private transient int reserve;

    Cell(String name, CellTable table) {
        super(name, table);
    }

    /** Adds a user; returns {@code false} if the last one has left. */
    boolean enter() {
        return USERS.getAndUpdate(this, count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Takes a user away; returns whether it was the last one. */
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
     * How many fencing tokens to reserve: one for the caller, and one for each who waits behind it and may be handed the grant,
     * or more where earlier grants of this cell had too few.
     */
    synchronized int fencesWanted() {
        return 1 + Math.min(Math.max(queueLength(), reserve), table.localHandoffs);
    }

    /**
     * Makes the first hold of a fresh grant. By the engaged thread, which is engaged no longer unless this fails.
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
    synchronized boolean hasReturned(Hold hold) {
        hold.returned = hold.state == Hold.State.HELD && !hold.grant.isOver(table.env);
        return hold.returned;
    }

    /** Adds to the count of a hold; returns {@code false} if it is over. */
    synchronized boolean reenter(Hold hold) {
        return hold.reenter();
    }

    /** Undoes one acquisition; with the last one hands the grant over to the next waiter here, or engages the caller. */
    Hold.Exit exit(Hold hold) {
        Waiter next;
        synchronized (this) {
            if (hold.state != Hold.State.HELD) {
                return Hold.Exit.OVER;
            }
            if (hold.count > 1) {
                hold.count--;
                return Hold.Exit.INNER;
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

    /** Passes the grant of a hold on to the next waiter here, if there is one and the grant is as good as a fresh one. */
    private @Nullable Waiter handOver(Hold last) {
        Grant grant = last.grant;
        Waiter next = first();
        if (next == null
                || grant.handoffs() >= table.localHandoffs
                || grant.isBeforeTakeover()
                || !last.isGoodFor(table.env, next.options)) {
            return null;
        }
        if (!grant.hasFence()) {
            // Those who wait now came after the claim was made. As long as the cell is in use, there will be others.
            reserve = Math.min(2 * reserve + 1, table.localHandoffs);
            return null;
        }
        Hold hold = new Hold(grant, next.forThread ? next.thread : null, next.options, table.env.nanoTime());
        grant.hold = hold;
        hold(hold);
        if (!last.options.equals(next.options)) {
            grant.planRenewal(table.env.nanoTime());
            grant.schedule(table.timer);
        }
        hold.local = true;
        next.hold = hold;
        take(next, Waiter.State.GRANTED);
        return next;
    }

    /** Takes a grant off its holder, the timer and the cell. */
    private void end(Grant grant) {
        grant.hold = null;
        grant.forgetRenewal();
        table.timer.cancel(grant);
        hold(null);
    }

    /**
     * Ends the hold that a grant has now because the grant is no more, and lets the next waiter here try.
     *
     * @param cause why, or {@code null} to find out whether its time is over, and why
     * @return the loss, or {@code null} if there is none
     */
    Hold.@Nullable Loss lose(Grant grant, @Nullable LossCause cause, LostHolds lostHolds) {
        Waiter next;
        Hold.Loss loss;
        synchronized (this) {
            Hold hold = grant.hold;
            if (hold == null || (cause == null && !grant.isOver(table.env))) {
                return null;
            }
            LossCause why = cause != null ? cause : hold.whyOver();
            Interruption interruption = null;
            Thread owner = hold.owner;
            if (owner != null && hold.returned) {
                interruption = lostHolds.add(owner, name, hold.count, why);
            }
            end(grant);
            next = takeNext(null);
            loss = new Hold.Loss(hold, hold.lose(why), hold.options.interruptOnLoss() ? interruption : null);
        }
        wake(next);
        return loss;
    }

    /** Notes that the backend had lost the lock when it was given back; returns the actions to be run because of that. */
    synchronized List<Consumer<? super LossCause>> wasLostAtRelease(Hold hold, LossCause cause) {
        hold.lossThrown = true;
        return hold.lose(cause);
    }

    /** Whether the loss of a handle is still to be thrown; once. */
    synchronized boolean takeLossToThrow(Hold hold) {
        return hold.takeLossToThrow();
    }

    /** Keeps an action for the loss of a hold; returns {@code false} if it was lost already. */
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

    /** Has a grant renewed at once that may be lost unnoticed. */
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

    /** Notes the outcome of a renewal, other than that the grant is gone. */
    synchronized void endRenewal(Renewals.Request request, Renewal outcome) {
        request.grant().endRenewal(table.env, table.timer, request, outcome);
    }
}
