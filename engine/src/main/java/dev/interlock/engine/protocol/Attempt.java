// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import dev.interlock.LockBackendException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** The outcome of {@link LeaseProtocol#attempt}. */
public sealed interface Attempt {
    /**
     * The lock is held by the claim.
     *
     * @param validity for how long, counted from the moment just before the attempt was made: the lease less the
     *     strategy's allowance for clock drift; less than that if the lock was
     *     {@linkplain LeaseProtocol#queues granted} before
     * @param firstFence the first of the reserved fencing tokens, or empty if the strategy draws none
     */
    record Granted(Duration validity, OptionalLong firstFence) implements Attempt {
        /**
         * Creates the outcome.
         *
         * @param validity for how long the lock is held
         * @param firstFence the first of the reserved fencing tokens
         */
        public Granted {
            Objects.requireNonNull(validity, "validity");
            Objects.requireNonNull(firstFence, "firstFence");
        }
    }

    /**
     * Somebody else holds the lock, and nothing was left behind but a {@linkplain LeaseProtocol#queues place} in a
     * queue.
     *
     * @param retryAfter the time after which the lock is free if its holder does not renew it, or empty if that is not
     *     known
     */
    record Refused(Optional<Duration> retryAfter) implements Attempt {
        /**
         * Creates the outcome.
         *
         * @param retryAfter when the lock is free at the latest
         */
        public Refused {
            Objects.requireNonNull(retryAfter, "retryAfter");
        }
    }

    /**
     * The attempt failed. If the {@linkplain LockBackendException#reason() reason} is that the outcome is unknown, the
     * engine releases the claim.
     *
     * @param cause what went wrong
     */
    record Failed(LockBackendException cause) implements Attempt {
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
