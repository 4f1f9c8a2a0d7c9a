// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LossCause;
import dev.interlock.engine.loss.LeakDetector;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The {@link Lease} of a hold, for its owner. Keeps the factory reachable. */
class LeaseView implements Lease {
    private final LockEngine engine;
    final AbstractHold hold;

    LeaseView(LockEngine engine, AbstractHold hold) {
        this.engine = engine;
        this.hold = hold;
    }

    final EngineCore core() {
        return engine.core();
    }

    @Override
    public final String lockName() {
        return hold.lockName();
    }

    @Override
    public final List<String> lockNames() {
        return hold.lockNames();
    }

    @Override
    public final OptionalLong fencingToken() {
        return hold.fence();
    }

    @Override
    public final OptionalLong fencingToken(String name) {
        return hold.fence(name);
    }

    @Override
    public final boolean isValid() {
        return hold.remainingNanos(core().environment()) > 0;
    }

    @Override
    public final Duration remaining() {
        return Duration.ofNanos(hold.remainingNanos(core().environment()));
    }

    @Override
    public final void ensureValid(Duration atLeast) {
        try {
            hold.ensureValid(core(), atLeast);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public final Registration onLoss(Consumer<? super LossCause> action) {
        Objects.requireNonNull(action, "action");
        // Wrapped, so that each registration is an object of its own, even if an action is registered twice.
        Consumer<LossCause> registered = action::accept;
        hold.onLoss(core(), registered);
        return () -> hold.cancelOnLoss(registered);
    }

    @Override
    public final String toString() {
        AbstractHold.State state = hold.state;
        OptionalLong fence = hold.fence();
        return "Lease[" + lockName() + ", " + state
                + (state == AbstractHold.State.HELD ? ", remaining=" + remaining() : "")
                + (fence.isPresent() ? ", fencingToken=" + fence.getAsLong() : "") + "]";
    }

    /** The handle that holds a lock. The hold does not refer to it, so that a dropped handle can be detected. */
    static final class OfHandle extends LeaseView implements LockHandle {
        private final Cleaner.Cleanable dropped;

        private OfHandle(LockEngine engine, AbstractHold hold, @Nullable String place) {
            super(engine, hold);
            this.dropped = LeakDetector.watch(
                    this, new LeakDetector.OfHandle(hold, place == null ? LeakDetector.caller() : place));
        }

        /**
         * Returns the handle of a hold. If it cannot be created, no owner could release the lock, so its lease must end
         * by itself.
         *
         * @param place the place in the program that asked for the lock, or {@code null} for the caller
         */
        static LockHandle of(LockEngine engine, AbstractHold hold, @Nullable String place) {
            try {
                return new OfHandle(engine, hold, place);
            } catch (Throwable e) {
                // Nothing else here: after a stack overflow, more calls could fail halfway.
                hold.drop();
                throw e;
            }
        }

        @Override
        public void close() {
            try {
                hold.close(core());
            } finally {
                dropped.clean();
                Reference.reachabilityFence(this);
            }
        }
    }
}
