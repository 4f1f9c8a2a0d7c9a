// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.condition;

import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import java.util.Optional;
import java.util.function.Function;

/** A lock as its conditions see it. Called by the thread that waits or signals. */
public interface MonitorLock {
    String name();

    /**
     * Makes the claim by which the current thread, which has to hold the lock, waits for a condition.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws dev.interlock.LeaseLostException if it has lost the lock and was not told
     */
    Claim newWaiter(String condition);

    /**
     * Has the current thread wait for the condition of a claim, and gives up all its holds. The outcome of the request
     * may be unknown; see {@link Departure#failure}.
     *
     * @throws dev.interlock.LeaseLostException if the thread has lost the lock; it does not wait then
     * @throws dev.interlock.LockBackendException if nothing was done and the thread holds the lock as before
     */
    Departure leave(Claim waiter);

    /**
     * Makes a claim that waits for a condition, or was signalled, leave in the background until the backend has
     * confirmed it. Its signal goes to the next waiter, and its grant is given back.
     */
    void leaveLater(Claim waiter);

    /**
     * Makes a request for which the current thread has to hold the lock.
     *
     * @param request makes the request with the claim by which the lock is held; returns the cause of the loss if the
     *     backend says that the claim does not hold the lock, and otherwise empty
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws dev.interlock.LeaseLostException if it has lost the lock
     */
    void asHolder(Function<Claim, Optional<LossCause>> request);
}
