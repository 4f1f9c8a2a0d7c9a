// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import java.time.Duration;
import java.util.Optional;

/** Tells the time that timestamps are made of, and whether one that was found has passed. Safe to use from any thread. */
interface ExpiryClock {
    /**
     * Returns the time in milliseconds since the epoch.
     *
     * @param key the key that the time is for: in a cluster, each server may have another one
     * @param timeout the longest time to wait for a server that tells it
     */
    long nowMillis(String key, Duration timeout);

    /**
     * Returns for how much longer a lock is taken, or empty if that is over.
     *
     * @param key where the timestamp was found
     * @param seen the timestamp
     * @param nowMillis the time, as read before the timestamp was
     * @throws dev.interlock.LockBackendException if no lock can be taken for so long
     */
    Optional<Duration> left(String key, Timestamp seen, long nowMillis);

    /**
     * Forgets what was found before: somebody is about to write another timestamp.
     *
     * @param key where it was found
     */
    default void forget(String key) {}
}
