// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.Interruption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock in the hands of one thread or handle, from the first acquisition to the last release or the loss. Fields are guarded by
 * the cell's monitor except where they are volatile.
 */
final class Hold {
    enum State {
        HELD,
        RELEASED,
        LOST
    }

    /** How an attempt to give up a hold went on. */
    enum Exit {
        /** It was lost or given up before. */
        OVER,
        /** The thread had acquired the lock more than once and still holds it. */
        INNER,
        /** The next waiter here has the grant now. */
        HANDED_OVER,
        /** The caller is engaged, and is to give the grant back. */
        LAST
    }

    /** What is to be done because a hold was lost: actions to be run, and perhaps an interrupt of its owner. */
    record Loss(
            Hold hold,
            List<Consumer<? super LossCause>> actions,
            @Nullable Interruption interruption) {}

    final Grant grant;

    /** The thread that holds the lock, or {@code null} if a handle does. */
    final @Nullable Thread owner;

    final LockOptions options;

    /** The token of this hold; several holds may share a grant. */
    final OptionalLong fence;

    volatile State state = State.HELD;
    volatile @Nullable LossCause lossCause;
    volatile int count = 1;

    /** How often its acquisition asked the backend, and whether it came from a local hand-over. */
    int attempts;

    boolean local;

    /** Whether the acquisition has returned it; a hold that is lost before is not one for its owner. */
    boolean returned;

    /** Whether renewal has gone as far as {@code maxHold} permits. */
    boolean capped;

    /** Whether the loss was thrown to whoever closed the handle. */
    boolean lossThrown;

    /** Whether nobody is left who could give it up. */
    volatile boolean dropped;

    private final long sinceNanos;
    private List<Consumer<? super LossCause>> lossActions = List.of();

    Hold(Grant grant, @Nullable Thread owner, LockOptions options, long nowNanos) {
        this.grant = grant;
        this.owner = owner;
        this.options = options;
        this.fence = grant.takeFence();
        this.sinceNanos = nowNanos;
    }

    String lockName() {
        return grant.cell.name;
    }

    @SuppressWarnings("ReferenceEquality") // A thread class may define equality as it likes.
    boolean isOwnedBy(Thread thread) {
        return owner == thread;
    }

    /** Whether nobody can give it up any more: its thread has ended, or its handle was dropped. */
    boolean isAbandoned() {
        return dropped || (owner != null && !owner.isAlive());
    }

    long heldNanos(Environment env) {
        return env.nanoTime() - sinceNanos;
    }

    /** Limits a time to what {@code maxHold} leaves; zero or less if it leaves nothing. */
    Duration withinMaxHold(Environment env, Duration wanted) {
        if (options.maxHold().isEmpty()) {
            return wanted;
        }
        Duration left = Duration.ofMillis(
                options.maxHold().get().minusNanos(heldNanos(env)).toMillis());
        return left.compareTo(wanted) < 0 ? left : wanted;
    }

    /** Adds to the count; returns {@code false} if it is over. Under the monitor. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only readers go without the monitor.
    boolean reenter() {
        if (state != State.HELD) {
            return false;
        }
        if (count == Integer.MAX_VALUE) {
            throw new Error("lock \"" + lockName() + "\" is held as often as can be counted");
        }
        count++;
        return true;
    }

    /** Whether its grant may pass to a hold with other options; without renewal that would get what is left of a lease, not the whole. */
    boolean isGoodFor(Environment env, LockOptions next) {
        Duration lease = next.lease();
        return next.renewal()
                && !capped
                && !isAbandoned()
                && options.lease().equals(lease)
                && grant.isGoodFor(env, lease);
    }

    /** Why its time is over. */
    LossCause whyOver() {
        if (isAbandoned() && (owner != null || options.renewal())) {
            return LossCause.OWNER_DIED;
        }
        if (grant.renewalUnanswered) {
            return LossCause.UNREACHABLE;
        }
        return capped ? LossCause.MAX_HOLD : LossCause.EXPIRED;
    }

    /** Ends it with a loss and returns the actions to be run because of that; under the monitor. */
    List<Consumer<? super LossCause>> lose(LossCause cause) {
        lossCause = cause;
        state = State.LOST;
        List<Consumer<? super LossCause>> actions = lossActions;
        lossActions = List.of();
        return actions;
    }

    /** Whether its loss is still to be thrown, once; under the monitor. */
    boolean takeLossToThrow() {
        boolean due = state == State.LOST && !lossThrown;
        lossThrown |= due;
        return due;
    }

    /** Keeps an action for the loss; returns {@code false} if it was lost already. Under the monitor. */
    boolean addLossAction(Consumer<? super LossCause> action) {
        if (state == State.HELD) {
            if (lossActions.isEmpty()) {
                lossActions = new ArrayList<>();
            }
            lossActions.add(action);
        }
        return state != State.LOST;
    }

    /** Drops an action for the loss; under the monitor. */
    @SuppressWarnings("ReferenceEquality") // Each registration is one of its own.
    void removeLossAction(Consumer<? super LossCause> action) {
        if (!lossActions.isEmpty()) {
            lossActions.removeIf(kept -> kept == action);
        }
    }

    LeaseLostException lost() {
        return new LeaseLostException(lockName(), Objects.requireNonNull(lossCause));
    }
}
