// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import java.util.Optional;

/**
 * Looks at the locks of one strategy from outside, without taking part. What it tells may have changed by the time that the caller
 * knows it. Methods block for the answer of a server. Safe to use from any thread.
 */
public interface LockInspection extends AutoCloseable {
    /**
     * Returns a pattern, as {@code SCAN} takes one, that the keys of all held locks fit.
     *
     * @return the pattern
     */
    String keyPattern();

    /**
     * Returns the name of the lock that a key belongs to.
     *
     * @param key a key that fits the pattern
     * @return the name; empty if the key is not that of a lock
     */
    Optional<String> lockName(String key);

    /**
     * Looks at a lock.
     *
     * @param name the name of the lock
     * @return what is known; empty if nobody holds the lock, or if its key is not one of this strategy
     * @throws dev.interlock.LockBackendException if the server does not answer, or refuses
     */
    Optional<InspectedLock> look(String name);

    /**
     * Releases a lock in the name of its holder, if that one still holds it by the same claim. The next waiter is granted the lock as after
     * any release. The holder learns of the loss at its next renewal or release, and may go on until then.
     *
     * @param lock what was looked at
     * @return whether it was held by that claim, and is not any more
     * @throws dev.interlock.LockBackendException if it may not have been carried out
     */
    boolean release(InspectedLock lock);

    /** Closes the connections. */
    @Override
    void close();
}
