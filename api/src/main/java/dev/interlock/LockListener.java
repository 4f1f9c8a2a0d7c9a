// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * Observes the locks of a factory, for metrics and logs. Each method does nothing unless it is overridden.
 *
 * <p>Registered by {@link LockConfig.Builder#listener}. A factory calls its listeners on one daemon thread of its own,
 * which is there while there are events: one event after another, in the order in which they were queued, and for each
 * event the listeners in the order in which they were registered. The events of one hold are queued in the order in
 * which they happen. A listener that is registered with several factories is called by the thread of each.
 *
 * <p>A listener cannot delay or fail a lock. What it throws is logged, at most once a minute with the number of
 * failures, and the other listeners are called all the same. While it blocks, events wait in a queue of bounded length;
 * when that is full, further events are dropped, which is logged at most once a minute with their number and told to
 * the listeners by {@link #eventsDropped} in the place of what they missed. So an event tells that something happened,
 * and is not the way to act on it in time: {@link Lease#onLoss} is.
 *
 * <p>No event carries an owner token. The names of locks are passed on as they are. Further methods, and further
 * components of the events, may be added in later versions: programs should read events and not make them.
 */
public interface LockListener {
    /** An event of one lock. */
    interface Event {
        /**
         * Returns the strategy of the factory.
         *
         * @return its name
         */
        String strategy();

        /**
         * Returns the lock.
         *
         * @return its name
         */
        String lockName();
    }

    /**
     * A thread asks for a lock that it does not hold.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     */
    record Requested(String strategy, String lockName) implements Event {}

    /**
     * A lock was acquired.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param waited the time from the request to the acquisition
     * @param attempts how often this acquisition asked the backend
     * @param local whether the lock was handed over by another thread of this factory, so that no server was asked
     * @param fencingToken the fencing token, if the strategy draws one
     */
    record Acquired(
            String strategy, String lockName, Duration waited, int attempts, boolean local, OptionalLong fencingToken)
            implements Event {}

    /**
     * A lock was released by its holder.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param held the time from the acquisition to the release
     */
    record Released(String strategy, String lockName, Duration held) implements Event {}

    /**
     * The lease of a held lock was renewed.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param took how long the request took, which may have renewed other leases too
     * @param remaining how long the lease is valid from now on
     */
    record Renewed(String strategy, String lockName, Duration took, Duration remaining) implements Event {}

    /**
     * The lease of a held lock could not be renewed now. It is tried again until the lease ends.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param cause why it could not be renewed
     */
    record RenewalFailed(String strategy, String lockName, LockBackendException cause) implements Event {}

    /**
     * A lock was lost before its holder gave it up.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param cause why the lease ended
     * @param held the time from the acquisition to the loss
     */
    record Lost(String strategy, String lockName, LossCause cause, Duration held) implements Event {}

    /**
     * The backend does not answer the waiters of a lock. They go on waiting for up to one lease.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param cause the first failure
     */
    record OutageBegan(String strategy, String lockName, LockBackendException cause) implements Event {}

    /**
     * The backend answers again.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param lasted the time from the first failure to the answer
     */
    record OutageEnded(String strategy, String lockName, Duration lasted) implements Event {}

    /**
     * The number of threads of this factory that wait for a lock has changed.
     *
     * @param strategy the strategy of the factory
     * @param lockName the name of the lock
     * @param length the number of threads that wait now
     */
    record QueueChanged(String strategy, String lockName, int length) implements Event {}

    /**
     * Events were dropped because a listener blocked or was too slow.
     *
     * @param strategy the strategy of the factory
     * @param count how many events are missing between the event before this one and the event after it
     */
    record EventsDropped(String strategy, long count) {}

    /**
     * Called when a thread asks for a lock that it does not hold.
     *
     * @param event what happened
     */
    default void requested(Requested event) {}

    /**
     * Called when a lock was acquired; not when its holder enters it again.
     *
     * @param event what happened
     */
    default void acquired(Acquired event) {}

    /**
     * Called when a holder released a lock; not when it undid one of several holds.
     *
     * @param event what happened
     */
    default void released(Released event) {}

    /**
     * Called when a lease was renewed.
     *
     * @param event what happened
     */
    default void renewed(Renewed event) {}

    /**
     * Called when a lease could not be renewed.
     *
     * @param event what happened
     */
    default void renewalFailed(RenewalFailed event) {}

    /**
     * Called when a lock was lost.
     *
     * @param event what happened
     */
    default void lost(Lost event) {}

    /**
     * Called when the backend stops answering the waiters of a lock.
     *
     * @param event what happened
     */
    default void outageBegan(OutageBegan event) {}

    /**
     * Called when the backend answers again.
     *
     * @param event what happened
     */
    default void outageEnded(OutageEnded event) {}

    /**
     * Called when the number of threads that wait for a lock has changed.
     *
     * @param event what happened
     */
    default void queueChanged(QueueChanged event) {}

    /**
     * Called when events were dropped.
     *
     * @param event what happened
     */
    default void eventsDropped(EventsDropped event) {}
}
