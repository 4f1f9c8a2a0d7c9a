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

    final EngineCore core() {
        return engine.core();
    }

    private Leases leases() {
        return engine.core().leases();
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
        return leases().isValid(hold);
    }

    @Override
    public final Duration remaining() {
        return leases().remaining(hold);
    }

    @Override
    public final void ensureValid(Duration atLeast) {
        try {
            leases().ensureValid(hold, atLeast);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public final Registration onLoss(Consumer<? super LossCause> action) {
        Objects.requireNonNull(action, "action");
        // Each registration is one of its own, also of an action that is registered twice.
        Consumer<LossCause> registered = action::accept;
        Leases leases = leases();
        leases.onLoss(hold, registered);
        return () -> leases.cancelOnLoss(hold, registered);
    }

    @Override
    public final String toString() {
        Hold.State state = hold.state;
        return "Lease[" + lockName() + ", " + state
                + (state == Hold.State.HELD ? ", remaining=" + remaining() : "")
                + (hold.fence.isPresent() ? ", fencingToken=" + hold.fence.getAsLong() : "") + "]";
    }
}
