// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import dev.interlock.LockBackendException;
import java.util.List;
import java.util.Objects;

/**
 * Takes and gives back several locks by one request, so that a lock over several names costs no more than a lock over
 * one name while it is free. A strategy offers it by {@link LeaseProtocol#joint}; without it, the engine asks for one
 * lock after the other.
 *
 * <p>What is said of {@link LeaseProtocol} holds here too.
 */
public interface JointLeases {
    /** The outcome of {@link #takeTogether}. */
    sealed interface Taking {
        /**
         * All locks are held, each by its claim.
         *
         * @param grants the grants, in the order of the claims
         */
        record Granted(List<Attempt.Granted> grants) implements Taking {
            /**
             * Creates the outcome.
             *
             * @param grants the grants, in the order of the claims; copied
             */
            public Granted {
                grants = List.copyOf(grants);
            }
        }

        /** Somebody else holds one of the locks. None was taken, and nothing was left behind. */
        record Refused() implements Taking {}

        /**
         * The locks have to be asked for one by one, for instance because somebody waits for one of them. None was
         * taken, and nothing was left behind.
         */
        record OneByOne() implements Taking {}

        /**
         * The request failed. If the {@linkplain LockBackendException#reason() reason} is that the outcome is unknown,
         * the engine releases the claims.
         *
         * @param cause what went wrong
         */
        record Failed(LockBackendException cause) implements Taking {
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

    /**
     * Tells whether locks may be taken and given back together. Does not block.
     *
     * @param names the names of the locks, at least two
     * @return {@code true} if one server is responsible for all of them, and can be asked for all of them at once
     */
    boolean areTogether(List<String> names);

    /**
     * Asks once for several locks, in one step on the backend: all are taken, or none.
     *
     * @param claims what is asked for, with one time-out, and of names that {@link #areTogether}
     * @return the outcome; a failure is returned, not thrown
     */
    Taking takeTogether(List<Claim> claims);

    /**
     * Gives several locks back, each as by {@link LeaseProtocol#release}.
     *
     * @param claims what is given back, with one time-out, and of names that {@link #areTogether}
     * @return the outcome for each claim, in their order
     * @throws LockBackendException if it may not have been carried out
     */
    List<Release> releaseTogether(List<Claim> claims);
}
