// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.protocol;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.ServerStatus;
import java.util.List;
import java.util.Optional;

/**
 * The protocol that a strategy implements: how to acquire, renew and release a lease, and how waiters learn that the
 * lock is free.
 *
 * <p>No method waits for the lock, sleeps, or reads a clock; each may block for the answers of servers, at most about
 * the {@linkplain Claim#timeout() time-out} of its claim, or one command time-out where it has none. The calling
 * thread's interrupt status is clear when a method is called; a method neither ends early nor fails because of an
 * interrupt, and leaves the status set if one came. Implementations must be safe to use from any thread.
 */
public interface LeaseProtocol extends AutoCloseable {
    /**
     * Asks once for the lock. Asking again with the same claim must succeed if the lock is already held by it, so that
     * a client library that repeats a request does no harm.
     *
     * @param claim what is asked for; the engine makes a fresh one for each call, unless claims keep a
     *     {@linkplain #queues place}
     * @return the outcome; a failure is returned, not thrown
     */
    Attempt attempt(Claim claim);

    /**
     * Extends leases, each to the whole {@linkplain Claim#lease() lease} of its claim counted from now, where the
     * claim's token still holds the lock. Never brings the end of a lease nearer, and never re-creates what is gone.
     * Groups what it can into one request; the failure of one server must not keep requests to others from being sent.
     *
     * @param claims the leases to extend, at least one; all have the same {@linkplain #lane lane} and the same
     *     {@linkplain Claim#timeout() time-out}
     * @return one outcome for each claim, in the same order; a failure is returned, not thrown
     */
    List<Renewal> renew(List<Claim> claims);

    /**
     * Gives the lock back if the claim's token still holds it, and otherwise does nothing. Safe to repeat. A release
     * that follows an attempt or renewal without an answer must not be overtaken by it where that can be had, as on one
     * connection.
     *
     * @param claim what is given back
     * @return whether the lock was held and is free now
     * @throws LockBackendException if it may not have been carried out
     */
    Release release(Claim claim);

    /**
     * Gives many locks back, each as by {@link #release}, when their outcomes do not matter. Groups what it can into
     * one request.
     *
     * <p>This implementation releases one claim after the other. It goes on after a failure, but not after one that
     * tells that the backend cannot be reached or does not answer.
     *
     * @param claims what is given back, at least one claim; all have the same {@linkplain #lane lane}
     * @throws LockBackendException if any release may not have been carried out; the first failure of several
     */
    default void releaseAll(List<Claim> claims) {
        LockBackendException first = null;
        for (Claim claim : claims) {
            try {
                release(claim);
            } catch (LockBackendException e) {
                first = first == null ? e : first;
                if (e.reason() != Reason.REFUSED) {
                    break;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Returns the lane of a lock. Locks in one lane share a server: if it does not answer for one of them, it does not
     * answer for the others either. Requests of different lanes need not wait for one another.
     *
     * @param name the name of the lock
     * @return the server or shard that is responsible for the lock; the same text for all locks if there is only one
     */
    default String lane(String name) {
        return "";
    }

    /**
     * Refuses a name for which there can be no lock here, such as one whose key belongs to something else. Called
     * before any other method is given the name; does no I/O. Every name is accepted unless this is overridden.
     *
     * @param name the name of a lock
     * @throws IllegalArgumentException if it cannot be used; the message says why, and what to do
     */
    default void checkName(String name) {}

    /**
     * Tells whether any client holds a lock now, as far as the backend says. By the time that the caller knows, this
     * may have changed.
     *
     * @param name the name of the lock
     * @return whether there is a holder
     * @throws LockBackendException if nobody can say
     */
    boolean isLocked(String name);

    /**
     * Starts to listen for releases of a lock. Returns without waiting for a server and does not fail: if listening is
     * not possible now, it begins when it is.
     *
     * @param name the name of the lock
     * @param onFreed to be run when the lock may be free: at a release, and each time that listening has begun or begun
     *     again, because a release may have gone unheard before. Does not block; may be run too often.
     * @return the end of listening; {@link Watch#NONE} or {@link Watch#POLLING} if the strategy cannot listen, so that
     *     waiters have to ask again and again, soon at first and then less often
     */
    Watch watch(String name, Runnable onFreed);

    /**
     * Tells whether a {@linkplain Claim#isWaiting waiting} claim that was refused keeps a place in a queue of the
     * backend, where a release may grant it the lock. The engine then wakes at the {@linkplain #watch hint}, asks again
     * with the same claim, and {@linkplain #release releases} it if it gives up, which has to give up the place as
     * well. It need not hold back either for the sake of those who wait elsewhere.
     *
     * @return {@code false} if a refusal leaves nothing behind
     */
    default boolean queues() {
        return false;
    }

    /**
     * Tells whether a refused claim keeps a place, as {@link #queues()} does, for the lock of a name.
     *
     * @param name the name of the lock
     * @return {@code false} if a refusal leaves nothing behind
     */
    default boolean queues(String name) {
        return queues();
    }

    /**
     * Returns how read/write locks are kept. Called once, before all other methods.
     *
     * @return the protocol, which ends with this one; empty if the strategy has no read/write locks
     */
    default Optional<ReadWriteProtocol> readWrite() {
        return Optional.empty();
    }

    /**
     * Notes how often a thread holds the lock, for strategies that show it to others. Called by that thread when it was
     * granted the lock, has entered it again, or has undone a hold that was not the last. Does not fail: what others
     * see may be behind.
     *
     * @param claim what is held
     * @param holds how often the current thread holds it, at least once
     */
    default void holdsChanged(Claim claim, int holds) {}

    /**
     * Registers an action for failovers, after which the new server may not know the last grants of the old one. The
     * engine then renews all leases that it renews at once: so holders learn early of a loss, and no lease runs out
     * because a renewal was lost in the failover. Called once, before all other methods.
     *
     * @param onTakeover to be run when requests go to the new server already, by any thread. Does not block; may be run
     *     too often.
     */
    default void watchTakeovers(Runnable onTakeover) {}

    /**
     * Returns the status of each of several independent servers. Does not block, and sends no request.
     *
     * @return the servers; empty if there is only one, or no status
     */
    default List<ServerStatus> servers() {
        return List.of();
    }

    /**
     * Returns how threads wait for a condition of a lock, for strategies that can wake one of them on another machine.
     *
     * @return the same each time; empty if locks of this strategy have no conditions
     */
    default Optional<ConditionProtocol> conditions() {
        return Optional.empty();
    }

    /**
     * Returns how several locks are taken and given back by one request, for strategies that can do that.
     *
     * @return the same each time; empty if the engine has to ask for one after the other
     */
    default Optional<JointLeases> joint() {
        return Optional.empty();
    }

    /** Closes the connections and threads of this protocol. Called once; calls that are still running may fail. */
    @Override
    void close();
}
