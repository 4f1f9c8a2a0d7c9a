// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LeaseLostException;
import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.LeakDetector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hold of a lock over one name or several, by one thread or handle, from the first acquisition to the last release or
 * the loss. Fields are guarded by a monitor, which subclasses name, except where they are volatile.
 */
abstract class AbstractHold implements LeakDetector.Held {
    enum State {
        HELD,
        RELEASED,
        LOST
    }

    /** The thread that holds the lock, or {@code null} if a handle does. */
    final @Nullable Thread owner;

    final LockOptions options;

    volatile State state = State.HELD;
    volatile @Nullable LossCause lossCause;
    volatile int count = 1;

    /** Whether {@code close()} of the handle has thrown the loss. */
    boolean lossThrown;

    private List<Consumer<? super LossCause>> lossActions = List.of();

    AbstractHold(@Nullable Thread owner, LockOptions options) {
        this.owner = owner;
        this.options = options;
    }

    abstract List<String> lockNames();

    abstract OptionalLong fence();

    /** Returns the fencing token for one of the names of the lock. */
    abstract OptionalLong fenceOf(String name);

    final OptionalLong fence(String name) {
        if (!lockNames().contains(name)) {
            throw new IllegalArgumentException(
                    "there is no token for \"" + name + "\": the lock is over " + lockNames());
        }
        return fenceOf(name);
    }

    /** How long the hold is valid by both clocks; zero if it is over. Has no effect. */
    abstract long remainingNanos(Environment env);

    abstract void ensureValid(EngineCore core, Duration atLeast);

    abstract void onLoss(EngineCore core, Consumer<? super LossCause> action);

    abstract void cancelOnLoss(Consumer<? super LossCause> action);

    /** Gives the hold up, on behalf of its handle. */
    abstract void close(EngineCore core);

    @Override
    public final boolean isHeld() {
        return state == State.HELD;
    }

    @SuppressWarnings("ReferenceEquality") // Compared by identity: a subclass of Thread may override equals().
    final boolean isOwnedBy(Thread thread) {
        return owner == thread;
    }

    /** Adds to the count; returns {@code false} if it is over. Under the monitor. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only readers go without the monitor.
    boolean reenter() {
        if (state != State.HELD) {
            return false;
        }
        if (count == Integer.MAX_VALUE) {
            throw new Error(
                    "lock \"" + lockName() + "\" is held " + Integer.MAX_VALUE + " times, and cannot be entered again");
        }
        count++;
        return true;
    }

    /** Ends the hold with a loss, and returns the actions to run because of that. Under the monitor. */
    final List<Consumer<? super LossCause>> lose(LossCause cause) {
        lossCause = cause;
        state = State.LOST;
        List<Consumer<? super LossCause>> actions = lossActions;
        lossActions = List.of();
        return actions;
    }

    /** Returns whether the loss must still be thrown; true only once. Under the monitor. */
    final boolean takeLossToThrow() {
        boolean due = state == State.LOST && !lossThrown;
        lossThrown |= due;
        return due;
    }

    /** Registers an action for the loss; returns {@code false} if the hold is lost already. Under the monitor. */
    final boolean addLossAction(Consumer<? super LossCause> action) {
        if (state == State.HELD) {
            if (lossActions.isEmpty()) {
                lossActions = new ArrayList<>();
            }
            lossActions.add(action);
        }
        return state != State.LOST;
    }

    /** Removes an action for the loss. Under the monitor. */
    @SuppressWarnings("ReferenceEquality") // Compared by identity: an action may be registered twice.
    final void removeLossAction(Consumer<? super LossCause> action) {
        if (!lossActions.isEmpty()) {
            lossActions.removeIf(kept -> kept == action);
        }
    }

    final LeaseLostException lost() {
        return new LeaseLostException(lockName(), Objects.requireNonNull(lossCause));
    }
}
