// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** The handle that holds a lock. The hold does not refer to it, so that a handle that was dropped is noticed. */
final class HandleView extends LeaseView implements LockHandle {
    private final Cleaner.Cleanable dropped;

    /**
     * @param place where in the program the lock was asked for, or {@code null} if that is the caller
     */
    HandleView(LockEngine engine, Hold hold, @Nullable String place) {
        super(engine, hold);
        this.dropped = Drops.watch(this, new Drops.OfHandle(hold, place == null ? Drops.caller() : place));
    }

    @Override
    public void close() {
        try {
            core().unlocks().close(hold);
        } finally {
            dropped.clean();
            Reference.reachabilityFence(this);
        }
    }
}
