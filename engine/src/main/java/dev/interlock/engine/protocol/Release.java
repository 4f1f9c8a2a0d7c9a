// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import dev.interlock.LossCause;
import java.util.Objects;

/** The outcome of {@link LeaseProtocol#release}. */
public sealed interface Release {
    /**
     * The claim held the lock, which is free now or was granted to a waiter.
     *
     * @param othersMayWait {@code false} only if the backend knows that no other client which it has refused this lock
     *     waits for it; {@code true} if another one does, or nobody can say
     */
    record Freed(boolean othersMayWait) implements Release {}

    /**
     * The claim did not hold the lock any more.
     *
     * @param cause {@link LossCause#GONE} or {@link LossCause#TAKEN}
     */
    record Lost(LossCause cause) implements Release {
        /**
         * Creates the outcome.
         *
         * @param cause why the lock was no longer held
         */
        public Lost {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
