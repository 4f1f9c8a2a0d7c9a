// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.Lease;
import dev.interlock.LossCause;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A hold as its owner sees it. Keeps the factory from being dropped. */
class LeaseView implements Lease {
    private final LockEngine engine;
    final Hold hold;

    LeaseView(LockEngine engine, Hold hold) {
        this.engine = engine;
        this.hold = hold;
    }

    final Holds holds() {
        return engine.core().holds();
    }

    @Override
    public final String lockName() {
        return hold.lockName();
    }

    @Override
    public final OptionalLong fencingToken() {
        return hold.fence;
    }

    @Override
    public final boolean isValid() {
        return holds().isValid(hold);
    }

    @Override
    public final Duration remaining() {
        return holds().remaining(hold);
    }

    @Override
    public final void ensureValid(Duration atLeast) {
        try {
            holds().ensureValid(hold, atLeast);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public final Registration onLoss(Consumer<? super LossCause> action) {
        Objects.requireNonNull(action, "action");
        // Each registration is one of its own, also of an action that is registered twice.
        Consumer<LossCause> registered = action::accept;
        Holds holds = holds();
        holds.onLoss(hold, registered);
        return () -> holds.cancelOnLoss(hold, registered);
    }

    @Override
    public final String toString() {
        Hold.State state = hold.state;
        return "Lease[" + lockName() + ", " + state
                + (state == Hold.State.HELD ? ", remaining=" + remaining() : "")
                + (hold.fence.isPresent() ? ", fencingToken=" + hold.fence.getAsLong() : "") + "]";
    }
}
