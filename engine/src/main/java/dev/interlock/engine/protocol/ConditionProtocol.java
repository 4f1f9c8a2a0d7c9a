// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import dev.interlock.LossCause;
import java.util.Optional;

/**
 * The protocol of a strategy whose locks have conditions: how a holder begins to wait, how another one signals it, and
 * how a waiter learns of that. The engine makes of it what {@link java.util.concurrent.locks.Condition} promises.
 *
 * <p>A waiter is a {@linkplain Claim#isWaiting waiting} claim with a {@linkplain Claim#condition condition}. The
 * backend keeps its place with the condition until it is signalled. A signalled waiter asks for the lock with the same
 * claim, by {@link LeaseProtocol#attempt}; where the backend {@linkplain LeaseProtocol#queues keeps places}, it has one
 * from the signal on, and may be granted the lock before it asks. A signal is not lost with its waiter: if the waiter
 * is gone before it has released the lock that it was granted, or that it holds by {@linkplain #adopt another claim},
 * the next waiter of the condition is signalled.
 *
 * <p>What {@link LeaseProtocol} says about blocking, interrupts and threads holds here as well.
 */
public interface ConditionProtocol {
    /** Where a waiter stands. */
    enum Place {
        /** It waits for a signal. */
        WAITING,
        /** It was signalled. */
        SIGNALLED,
        /**
         * It does not wait any more and was not signalled: what the backend kept was lost, the waiter was taken for
         * dead, or it is woken because the lease of a holder has ended, which may have died before it signalled.
         */
        GONE
    }

    /**
     * Begins to listen for what concerns a waiter that is about to wait. Returns without waiting for a server.
     *
     * @param waiter the waiter
     * @param onChange to be run when {@link #isTold} has changed, and when listening has begun, ended or begun again.
     *     Does not block; may be run too often.
     * @return the end of listening, which forgets the waiter
     */
    Watch listen(Claim waiter, Runnable onChange);

    /**
     * Makes a holder wait for a condition from now on, and gives its lock back in the same step if that is wanted.
     *
     * @param held the claim by which the lock is held
     * @param waiter the claim that waits
     * @param releases whether to give the lock back; the next holder finds the waiter in its place
     * @return as for a release; nothing was done if the lock was not held
     * @throws dev.interlock.LockBackendException if it may not have been carried out
     */
    Release await(Claim held, Claim waiter, boolean releases);

    /**
     * Tells without any request whether a message has said that a waiter was signalled and has to ask for the lock now.
     * Where the backend {@linkplain LeaseProtocol#queues keeps places}, that is when it has granted the lock to the
     * waiter, and not before: the engine then lets it ask in the stead of another thread of the client that asks
     * already. Once it has asked, by {@link LeaseProtocol#attempt}, it was not told until the next message.
     *
     * @param waiter the waiter
     * @return whether it was told to ask
     */
    boolean isTold(Claim waiter);

    /**
     * Asks where a waiter stands, in case that a message went astray. Also passes on signals of its condition whose
     * waiters are gone.
     *
     * @param waiter the waiter
     * @return where it stands
     * @throws dev.interlock.LockBackendException if nobody can say
     */
    Place look(Claim waiter);

    /**
     * Ends the wait of a waiter unless it was signalled. Safe to repeat.
     *
     * @param waiter the waiter
     * @param passesOn whether a signal that it has got is for the next waiter of the condition, because nobody will act
     *     on it here; the lock, if it was granted already, is given back by {@link LeaseProtocol#release}
     * @return where it stood; it has left now if that was {@link Place#WAITING}, or if it passes the signal on
     * @throws dev.interlock.LockBackendException if nobody can say
     */
    Place leave(Claim waiter, boolean passesOn);

    /**
     * Gives the signal of a waiter to the claim by which its thread holds the lock, if that is another one than its
     * own, and gives up the waiter's place or grant. From now on the release of {@code held} as a claim
     * {@linkplain Claim#withCondition of the waiter's condition} confirms the signal, as the release of the waiter's
     * own claim would. If {@code held} is a claim of a condition already, because another thread of the client had the
     * lock by it before, that one's signal is confirmed by this request.
     *
     * @param held the claim by which the lock is held
     * @param waiter the waiter
     * @throws dev.interlock.LockBackendException if it may not have been carried out
     */
    void adopt(Claim held, Claim waiter);

    /**
     * Signals the waiter that has waited longest for a condition, or all of them, passing over those that are gone.
     *
     * @param held the claim by which the lock is held
     * @param condition the condition
     * @param all whether to signal all of them, in the order in which they came
     * @return empty if that is done; otherwise the lock was not held, and nothing was done
     * @throws dev.interlock.LockBackendException if it may not have been carried out
     */
    Optional<LossCause> signal(Claim held, String condition, boolean all);
}
