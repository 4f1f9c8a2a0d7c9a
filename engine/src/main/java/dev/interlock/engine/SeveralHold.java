// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockOptions;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.loss.Interruption;
import dev.interlock.engine.loss.LostHolds;
import dev.interlock.engine.several.NameSet;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The hold of a lock over several names. Its parts are the holds of the locks of each name. A monitor; a thread that is
 * in it never enters the monitor of a cell.
 */
final class SeveralHold extends AbstractHold {
    /** The consequences of a loss: actions to run, and perhaps an interrupt of the owner. */
    record Loss(
            List<Consumer<? super LossCause>> actions,
            @Nullable Interruption interruption) {}

    final NameSet names;

    private final SeveralHolds severalHolds;

    /** The parts, in the order of the names; {@code null} for those that were not acquired, or not yet. */
    private final @Nullable Hold[] parts;

    /**
     * Whether the acquisition has returned this hold. If a part is lost before that, the acquisition begins again.
     */
    private boolean returned;

    SeveralHold(SeveralHolds severalHolds, NameSet names, @Nullable Thread owner, LockOptions options) {
        super(owner, options);
        this.severalHolds = severalHolds;
        this.names = names;
        this.parts = new Hold[names.names().size()];
    }

    /** Adds a part. Called by the acquisition. */
    void put(Hold part) {
        parts[names.names().indexOf(part.lockName())] = part;
    }

    /** Returns the part of a name, or {@code null} if there is none. */
    @Nullable
    Hold part(String name) {
        return parts[names.names().indexOf(name)];
    }

    /** Returns the parts that were acquired. */
    List<Hold> parts() {
        return Arrays.stream(parts).filter(Objects::nonNull).toList();
    }

    /** Notes that the acquisition returns this hold; returns {@code false} if a part was lost by then. */
    synchronized boolean beReturned() {
        returned = state == State.HELD;
        return returned;
    }

    @Override
    synchronized boolean reenter() {
        return super.reenter();
    }

    /** Undoes one acquisition. The hold ends with the last one. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only readers go without the monitor.
    synchronized Hold.Exit exit() {
        if (state != State.HELD) {
            return Hold.Exit.OVER;
        }
        if (count > 1) {
            count--;
            return Hold.Exit.INNER;
        }
        state = State.RELEASED;
        return Hold.Exit.LAST;
    }

    /**
     * Ends the hold with a loss. Returns what is to be done because of that, or {@code null} if the hold was over, or
     * was never returned by its acquisition.
     */
    synchronized @Nullable Loss lose(LossCause cause, LostHolds lostHolds) {
        if (state != State.HELD) {
            return null;
        }
        Interruption interruption = returned && owner != null ? lostHolds.add(owner, names.key(), count, cause) : null;
        List<Consumer<? super LossCause>> actions = lose(cause);
        return returned ? new Loss(actions, options.interruptOnLoss() ? interruption : null) : null;
    }

    /** Notes that a part turned out to be lost when it was released. Returns the actions to run because of that. */
    synchronized List<Consumer<? super LossCause>> wasLostAtRelease(LossCause cause) {
        lossThrown = true;
        return lose(cause);
    }

    /** Returns whether the loss of a handle must still be thrown; true only once. */
    synchronized boolean isLossToThrow() {
        return takeLossToThrow();
    }

    /** Registers an action for the loss; returns {@code false} if the hold is lost already. */
    synchronized boolean keep(Consumer<? super LossCause> action) {
        return addLossAction(action);
    }

    /** Ends the hold because one of its parts is lost. */
    void partLost(LossCause cause) {
        severalHolds.lose(this, cause);
    }

    @Override
    public String lockName() {
        return names.text();
    }

    @Override
    List<String> lockNames() {
        return names.names();
    }

    /** Returns the largest of the parts' tokens. It grows from hold to hold, since each of them does. */
    @Override
    OptionalLong fence() {
        long largest = Long.MIN_VALUE;
        for (Hold part : parts()) {
            OptionalLong fence = part.fence();
            if (fence.isEmpty()) {
                return fence;
            }
            largest = Math.max(largest, fence.getAsLong());
        }
        return OptionalLong.of(largest);
    }

    @Override
    OptionalLong fenceOf(String name) {
        return Objects.requireNonNull(part(name)).fence();
    }

    @Override
    long remainingNanos(Environment env) {
        long least = state == State.HELD ? Long.MAX_VALUE : 0;
        for (Hold part : parts()) {
            least = Math.min(least, part.remainingNanos(env));
        }
        return least;
    }

    @Override
    void ensureValid(EngineCore core, Duration atLeast) {
        severalHolds.ensureValid(this, atLeast);
    }

    @Override
    void onLoss(EngineCore core, Consumer<? super LossCause> action) {
        severalHolds.onLoss(this, action);
    }

    @Override
    synchronized void cancelOnLoss(Consumer<? super LossCause> action) {
        removeLossAction(action);
    }

    @Override
    void close(EngineCore core) {
        severalHolds.close(this);
    }

    @Override
    public void drop() {
        parts().forEach(Hold::drop);
    }
}
