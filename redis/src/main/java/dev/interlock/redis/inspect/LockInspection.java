// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import java.util.Optional;

/**
 * Looks at the locks of one strategy from outside, without acquiring any. A result may be out of date when the caller
 * sees it. Methods block for the answer of a server. Safe to use from any thread.
 */
public interface LockInspection extends AutoCloseable {
    /**
     * Returns a pattern, as {@code SCAN} takes one, that the keys of all held locks fit.
     *
     * @return the pattern
     */
    String keyPattern();

    /**
     * Returns the type of the keys of held locks, as {@code SCAN} takes one.
     *
     * @return the type; empty if they are of several types
     */
    default Optional<String> keyType() {
        return Optional.empty();
    }

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
     * Releases a lock on behalf of its holder, if the same claim still holds it. The next waiter is granted the lock as
     * after any release. The holder learns of the loss at its next renewal or release, and may go on until then. Where
     * the key does not tell one claim from another, whoever holds the lock at that moment loses it.
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
