// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.condition;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import org.jspecify.annotations.Nullable;

/** The holds that a thread has given up for a wait, and how it gets them back. Used by that thread. */
public interface Departure extends AutoCloseable {
    /**
     * Returns why the thread does not wait, or why that is not known; {@code null} if it waits. Its holds are given up
     * in any case.
     */
    @Nullable
    LockBackendException failure();

    /** Notes that the backend has answered. */
    void answered();

    /** Notes that the backend has not answered; returns whether the wait must end with that failure. */
    boolean isHopeless(LockBackendException cause);

    /**
     * Acquires the lock as often as it was held. Neither a time limit nor an interrupt ends this.
     *
     * @param place the claim of the waiter if it was signalled, or {@code null}
     * @return the claim by which the lock is held
     * @throws LockBackendException if the backend does not answer for as long as a lease; the holds count as lost then
     * @throws IllegalStateException if the factory is closed; the holds count as lost then
     */
    Claim comeBack(@Nullable Claim place);

    /** Makes the release of the lock that the thread has got back confirm the signal of a waiter. */
    void keepSignal(Claim waiter);

    /** Gives the lock back that a waiter may have been granted because it was signalled. */
    void giveBack(Claim waiter);

    /** Makes the holds count as lost, so that each {@code unlock} of the thread throws. */
    void stayAway(LossCause cause);

    /** Leaves the cell of the lock. */
    @Override
    void close();
}
