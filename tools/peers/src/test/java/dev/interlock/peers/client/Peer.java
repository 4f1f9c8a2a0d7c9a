// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers.client;

import java.time.Duration;

/** A lock client of another make, which holds one lock at most. Used by one thread. */
public interface Peer extends AutoCloseable {
    /** Asks for the lock again and again for a time; once if that is zero. */
    boolean acquire(Duration lease, Duration wait);

    /** Waits for the lock as the client does by itself, with its own pauses, however long it takes. */
    void lock(Duration lease);

    /** Releases the lock, and returns whether it was held until then. */
    boolean release();

    /** Gives the lock another lease, and returns whether it was held. */
    boolean extend(Duration lease);

    @Override
    void close();
}
