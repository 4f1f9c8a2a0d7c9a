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
 * The hold of a lock over several names: one hold of the lock of each, which are its parts. A monitor; nobody who is in
 * it enters that of a cell.
 */
final class SeveralHold extends Holding {
    /** The consequences of a loss: actions to run, and perhaps an interrupt of the owner. */
    record Loss(
            List<Consumer<? super LossCause>> actions,
            @Nullable Interruption interruption) {}

    final NameSet names;

    private final Severals severals;

    /** The parts, in the order of the names; those that it does not have yet, or never got, are missing. */
    private final @Nullable Hold[] parts;

    /**
     * Whether its acquisition has ended with it; what is lost before is given up and acquired again by the acquisition.
     */
    private boolean returned;

    SeveralHold(Severals severals, NameSet names, @Nullable Thread owner, LockOptions options) {
        super(owner, options);
        this.severals = severals;
        this.names = names;
        this.parts = new Hold[names.names().size()];
    }

    /** Notes a part of it; by its acquisition. */
    void put(Hold part) {
        parts[names.names().indexOf(part.lockName())] = part;
    }

    /** The part of a name, or {@code null} if it does not have it. */
    @Nullable
    Hold part(String name) {
        return parts[names.names().indexOf(name)];
    }

    /** The parts that it has. */
    List<Hold> parts() {
        return Arrays.stream(parts).filter(Objects::nonNull).toList();
    }

    /** Notes that its acquisition returns it; returns {@code false} if a part was lost by then. */
    synchronized boolean beReturned() {
        returned = state == State.HELD;
        return returned;
    }

    @Override
    synchronized boolean reenter() {
        return super.reenter();
    }

    /** Undoes one acquisition; with the last one it ends. */
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
     * Ends it with a loss; returns what is to be done because of that, or {@code null} if it was over, or never
     * returned.
     */
    synchronized @Nullable Loss lose(LossCause cause, LostHolds lostHolds) {
        if (state != State.HELD) {
            return null;
        }
        Interruption interruption = returned && owner != null ? lostHolds.add(owner, names.key(), count, cause) : null;
        List<Consumer<? super LossCause>> actions = lose(cause);
        return returned ? new Loss(actions, options.interruptOnLoss() ? interruption : null) : null;
    }

    /** Notes that a part was lost when it was given back; returns the actions to be run because of that. */
    synchronized List<Consumer<? super LossCause>> wasLostAtRelease(LossCause cause) {
        lossThrown = true;
        return lose(cause);
    }

    /** Returns whether the loss of a handle is still to be thrown; once. */
    synchronized boolean isLossToThrow() {
        return takeLossToThrow();
    }

    /** Keeps an action for the loss; returns {@code false} if it was lost already. */
    synchronized boolean keep(Consumer<? super LossCause> action) {
        return addLossAction(action);
    }

    /** Ends it because one of its parts is lost. */
    void partLost(LossCause cause) {
        severals.lose(this, cause);
    }

    @Override
    public String lockName() {
        return names.text();
    }

    @Override
    List<String> lockNames() {
        return names.names();
    }

    /** The largest of its parts' tokens, which grows from hold to hold as each of them does. */
    @Override
    OptionalLong fence() {
        long largest = Long.MIN_VALUE;
        for (Hold part : parts()) {
            if (part.fence.isEmpty()) {
                return OptionalLong.empty();
            }
            largest = Math.max(largest, part.fence.getAsLong());
        }
        return OptionalLong.of(largest);
    }

    @Override
    OptionalLong fenceOf(String name) {
        return Objects.requireNonNull(part(name)).fence;
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
        severals.ensureValid(this, atLeast);
    }

    @Override
    void onLoss(EngineCore core, Consumer<? super LossCause> action) {
        severals.onLoss(this, action);
    }

    @Override
    synchronized void cancelOnLoss(Consumer<? super LossCause> action) {
        removeLossAction(action);
    }

    @Override
    void close(EngineCore core) {
        severals.close(this);
    }

    @Override
    public void drop() {
        parts().forEach(Hold::drop);
    }
}
