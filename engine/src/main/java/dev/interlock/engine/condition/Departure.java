// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.condition;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import org.jspecify.annotations.Nullable;

/** The holds that a thread has given up for a wait, and how it gets them back. Used by that thread. */
public interface Departure extends AutoCloseable {
    /**
     * Why nobody knows whether the thread waits now, or why it does not; {@code null} if it waits. Its holds are given
     * up all the same.
     */
    @Nullable
    LockBackendException failure();

    /** Notes that the backend has answered. */
    void answered();

    /** Notes that the backend has not answered; returns whether the wait must end with that failure. */
    boolean isHopeless(LockBackendException cause);

    /**
     * Acquires the lock as often as it was held, whatever time or interrupts say.
     *
     * @param place the claim of the waiter if it was signalled, or {@code null}
     * @return whether the lock is held by that very claim
     * @throws LockBackendException if the backend does not answer for as long as a lease; the holds count as lost then
     * @throws IllegalStateException if the factory is closed; the holds count as lost then
     */
    boolean comeBack(@Nullable Claim place);

    /** Gives the lock back that a waiter may have been granted because it was signalled. */
    void giveBack(Claim waiter);

    /** Has the holds count as lost, so that each {@code unlock} of the thread says so. */
    void stayAway(LossCause cause);

    /** Ends the use of what is known of the lock here. */
    @Override
    void close();
}
