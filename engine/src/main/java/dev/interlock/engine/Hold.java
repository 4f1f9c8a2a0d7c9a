// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.Interruption;
import dev.interlock.engine.threads.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The hold of a lock of one name. Its monitor is that of the cell. */
final class Hold extends AbstractHold {
    /** The result of undoing one acquisition. */
    enum Exit {
        /** The hold was lost or given up before. */
        OVER,
        /** The thread holds the lock only as part of a lock over several names, which must be unlocked as a whole. */
        PART,
        /** The thread had acquired the lock more than once and still holds it. */
        INNER,
        /** The next waiter here has the grant now. */
        HANDED_OVER,
        /** The caller is engaged, and must release the grant. */
        LAST
    }

    /** The consequences of a loss: actions to run, and perhaps an interrupt of the owner. */
    record Loss(
            Hold hold,
            List<Consumer<? super LossCause>> actions,
            @Nullable Interruption interruption) {}

    final Grant grant;

    /** The number of holds that the grant had before this one. */
    private final int holdsBefore;

    /** How often the acquisition asked the backend; not at all if the hold came from a local hand-off. */
    int attempts;

    /** Whether the acquisition has returned this hold; its owner never learns of one that is lost before. */
    boolean returned;

    /** Whether no owner is left that could give this hold up. */
    volatile boolean dropped;

    private final long sinceNanos;

    /** When the owner got the lock, on the monotonic clock; a part of a lock over several names is granted earlier. */
    private volatile long ownedSinceNanos;

    /**
     * Whether this is a part of a lock over several names that waits for the other parts. Its lease is renewed whatever
     * the options say, since its owner does not have it yet.
     */
    private volatile boolean awaiting;

    /** The locks over several names that this is a part of; each has one of its holds. */
    private List<SeveralHold> wholes = List.of();

    Hold(Grant grant, @Nullable Thread owner, LockOptions options, long nowNanos) {
        super(owner, options);
        this.grant = grant;
        this.holdsBefore = grant.addHold();
        this.sinceNanos = nowNanos;
        this.ownedSinceNanos = nowNanos;
    }

    @Override
    public String lockName() {
        return grant.cell.lockName();
    }

    @Override
    List<String> lockNames() {
        return List.of(lockName());
    }

    @Override
    OptionalLong fence() {
        return grant.fence(holdsBefore);
    }

    @Override
    OptionalLong fenceOf(String name) {
        return fence();
    }

    /** Returns whether the hold came from a local hand-off. */
    boolean isLocal() {
        return holdsBefore > 0;
    }

    @Override
    long remainingNanos(Environment env) {
        return state == State.HELD ? grant.remainingNanos(env) : 0;
    }

    @Override
    void ensureValid(EngineCore core, Duration atLeast) {
        core.leases().ensureValid(this, atLeast);
    }

    @Override
    void onLoss(EngineCore core, Consumer<? super LossCause> action) {
        core.leases().onLoss(this, action);
    }

    @Override
    void cancelOnLoss(Consumer<? super LossCause> action) {
        grant.cell.removeLossAction(this, action);
    }

    @Override
    void close(EngineCore core) {
        core.unlocks().close(this);
    }

    @Override
    public void drop() {
        dropped = true;
    }

    /** Returns whether no owner can give this hold up any more: its thread has ended, or its handle was dropped. */
    boolean isAbandoned() {
        return dropped || (owner != null && !owner.isAlive());
    }

    long heldNanos(Environment env) {
        return env.nanoTime() - sinceNanos;
    }

    /** Limits a time to what {@code maxHold} leaves; zero or less if it leaves nothing. */
    Duration withinMaxHold(Environment env, Duration wanted) {
        if (awaiting || options.maxHold().isEmpty()) {
            return wanted;
        }
        long ownedNanos = env.nanoTime() - ownedSinceNanos;
        Duration left =
                Duration.ofMillis(options.maxHold().get().minusNanos(ownedNanos).toMillis());
        return left.compareTo(wanted) < 0 ? left : wanted;
    }

    /** Notes that the acquisition returns this hold to its owner, unless it is over. Under the monitor. */
    boolean beReturned(Environment env, Timer timer, int holds, @Nullable SeveralHold whole) {
        returned = state == State.HELD && !grant.isOver(env);
        // A loss from here on counts for each of these holds.
        count = holds;
        if (returned && whole != null) {
            join(whole);
            awaiting = true;
            planRenewal(timer);
        }
        return returned;
    }

    /** Notes that the owner has all parts of the lock over several names now. Under the monitor. */
    void settle(Environment env, Timer timer) {
        if (state == State.HELD && awaiting) {
            awaiting = false;
            ownedSinceNanos = env.nanoTime();
            planRenewal(timer);
        }
    }

    private void planRenewal(Timer timer) {
        if (!options.renewal()) {
            grant.planRenewal(grant.confirmedNanos());
            grant.schedule(timer);
        }
    }

    /** Returns whether the lease is renewed for as long as the lock is held. */
    boolean isRenewed() {
        return awaiting || options.renewal();
    }

    /** Counts an acquisition, of the owner or of a lock over several names, unless it is over. Under the monitor. */
    boolean reenter(@Nullable SeveralHold whole) {
        boolean held = reenter();
        if (held && whole != null) {
            join(whole);
        }
        return held;
    }

    private void join(SeveralHold whole) {
        if (wholes.isEmpty()) {
            wholes = new ArrayList<>();
        }
        wholes.add(whole);
    }

    /** How many of its holds are not those of locks over several names. */
    int countOfItsOwn() {
        return count - wholes.size();
    }

    /** Returns the locks over several names that are lost with this hold. Called after it was lost. */
    List<SeveralHold> wholes() {
        return wholes;
    }

    /**
     * Undoes one acquisition, of the owner or of a lock over several names, or all, unless it is the last. Under the
     * monitor.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only readers go without the monitor.
    Exit leave(@Nullable SeveralHold whole, boolean all) {
        if (state != State.HELD || (whole != null && !wholes.remove(whole))) {
            return Exit.OVER;
        }
        if (whole == null && countOfItsOwn() == 0) {
            return Exit.PART;
        }
        if (count == 1 || all) {
            return Exit.LAST;
        }
        count--;
        return Exit.INNER;
    }

    /** Returns whether the grant may pass to a hold with these options. Without renewal it needs a whole lease. */
    boolean isGoodFor(Environment env, LockOptions next) {
        Duration lease = next.lease();
        return next.renewal()
                && !grant.capped
                && !isAbandoned()
                && options.lease().equals(lease)
                && grant.isGoodFor(env, lease);
    }

    /** Returns the cause of a loss by time. */
    LossCause whyOver() {
        if (isAbandoned() && (owner != null || options.renewal())) {
            return LossCause.OWNER_DIED;
        }
        if (grant.isRenewalUnanswered()) {
            return LossCause.UNREACHABLE;
        }
        return grant.capped ? LossCause.MAX_HOLD : LossCause.EXPIRED;
    }
}
