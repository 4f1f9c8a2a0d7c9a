// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import java.time.Duration;
import java.util.Objects;

/** The outcome of {@link LeaseProtocol#renew} for one claim. */
public sealed interface Renewal {
    /**
     * The lease was extended.
     *
     * @param validity for how long the lock is held, counted from the moment just before the renewal was sent
     */
    record Renewed(Duration validity) implements Renewal {
        /**
         * Creates the outcome.
         *
         * @param validity for how long the lock is held
         */
        public Renewed {
            Objects.requireNonNull(validity, "validity");
        }
    }

    /**
     * The claim no longer holds the lock.
     *
     * @param cause {@link LossCause#GONE} or {@link LossCause#TAKEN}
     */
    record Lost(LossCause cause) implements Renewal {
        /**
         * Creates the outcome.
         *
         * @param cause why the lock is no longer held
         */
        public Lost {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /**
     * The renewal failed; the lease runs on unchanged.
     *
     * @param cause what went wrong
     */
    record Failed(LockBackendException cause) implements Renewal {
        /**
         * Creates the outcome.
         *
         * @param cause what went wrong
         */
        public Failed {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
