// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.setnxgetset.WrittenTimestamps.Written;
import java.time.Duration;
import java.util.Optional;

/** Provides the time for new timestamps, and decides whether a timestamp has passed. Safe to use from any thread. */
interface ExpiryClock {
    /**
     * Returns the time in milliseconds since the epoch.
     *
     * @param key the key that the time is for: in a cluster, each server may have another one
     * @param timeout the longest time to wait for a server, if the server has to be asked
     */
    long nowMillis(String key, Duration timeout);

    /**
     * Returns the remaining time for which a lock is taken; empty if it is free.
     *
     * @param key where the timestamp was found
     * @param seen the timestamp
     * @param nowMillis the time, as read before the timestamp was
     * @throws dev.interlock.LockBackendException if the timestamp is further ahead than any lease can be
     */
    Optional<Duration> left(String key, Timestamp seen, long nowMillis);

    /**
     * Returns the lease that, written now, ends no earlier than a timestamp that this client wrote before.
     *
     * @param format the format of the timestamps
     * @param mine the timestamp that it wrote
     * @param nowMillis the time
     */
    Duration leaseUntil(TimestampFormat format, Written mine, long nowMillis);

    /**
     * Forgets the last timestamp that was seen, because a new one is about to be written.
     *
     * @param key where it was found
     */
    default void forget(String key) {}
}
