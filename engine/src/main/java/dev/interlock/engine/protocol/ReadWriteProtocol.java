// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import dev.interlock.LockBackendException;
import dev.interlock.spi.Capability;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The protocol that a strategy with read/write locks implements besides {@link LeaseProtocol}. The same rules hold: no
 * method waits for a lock, and each may block for the answers of servers.
 *
 * <p>With a strategy that declares {@link Capability#READ_WRITE_FAIR} the backend keeps the phases fair. Reading and
 * writing phases take turns while both sides are wanted. A phase of writing is one holder's; a phase of reading begins
 * with all who wait to read at that moment, and nobody joins it while somebody waits to write.
 */
public interface ReadWriteProtocol {
    /**
     * A claim to one side of a read/write lock.
     *
     * @param side the side
     * @param claim the claim, whose name is the {@linkplain LockSide#key key} of the side
     * @param within the owner token under which the asking thread holds either side already; empty if it holds none. A
     *     reader that holds a side does not wait for waiting writers, since they wait for this holder.
     */
    record SideClaim(LockSide side, Claim claim, Optional<String> within) {
        /**
         * Creates what is asked for.
         *
         * @param side the side
         * @param claim the claim
         * @param within the owner token of a hold of the same thread
         */
        public SideClaim {
            Objects.requireNonNull(side, "side");
            Objects.requireNonNull(claim, "claim");
            Objects.requireNonNull(within, "within");
        }

        /** Hides the tokens. */
        @Override
        public String toString() {
            return "SideClaim[" + side.access() + " " + claim + "]";
        }
    }

    /**
     * Tells whether a waiting claim that was refused keeps a place with the backend, as {@link LeaseProtocol#queues}
     * says.
     *
     * @return {@code false} if a refusal leaves nothing behind
     */
    default boolean queues() {
        return true;
    }

    /**
     * Asks once for a side. Asking again with the same claim must succeed if the side is already held by it. The fence
     * of a writer is larger than that of every earlier writer; the fence of a reader is that of the last writer before
     * it.
     *
     * @param asked what is asked for
     * @return the outcome; a failure is returned, not thrown
     */
    Attempt attempt(SideClaim asked);

    /**
     * Extends leases, as {@link LeaseProtocol#renew} does.
     *
     * @param claims the leases to extend, at least one; all have the same lane and time-out
     * @return one outcome for each claim, in the same order; a failure is returned, not thrown
     */
    List<Renewal> renew(List<SideClaim> claims);

    /**
     * Gives a side back if the claim's token still holds it, and the claim's place among those who wait. Safe to
     * repeat.
     *
     * @param given what is given back
     * @return whether the side was held and is not any more
     * @throws LockBackendException if it may not have been carried out
     */
    Release release(SideClaim given);

    /**
     * Gives many sides back, each as by {@link #release}, when their outcomes do not matter.
     *
     * @param claims what is given back, at least one; all have the same lane
     * @throws LockBackendException if any release may not have been carried out; the first failure of several
     */
    void releaseAll(List<SideClaim> claims);

    /**
     * Tells whether any client holds a side of a lock now, as far as the backend says.
     *
     * @param side the side; its owner does not matter
     * @return whether there is a holder
     * @throws LockBackendException if nobody can say
     */
    boolean isLocked(LockSide side);

    /**
     * Starts to listen for the turn of an owner, as {@link LeaseProtocol#watch} does for the release of a lock.
     *
     * @param side the side and the owner
     * @param onTurn to be run when the side may be had by that owner, and each time that listening has begun; may be
     *     run too often
     * @return the end of listening
     */
    Watch watch(LockSide side, Runnable onTurn);
}
