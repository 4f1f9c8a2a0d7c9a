// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.redis.client.Deadline;
import redis.clients.jedis.Connection;

/** Connections that threads borrow, each for one call. */
interface ConnectionPool {
    /**
     * Waits for a connection, which may not be connected yet.
     *
     * @throws dev.interlock.LockBackendException if there is none by the deadline
     */
    Connection borrow(Deadline deadline);

    /** Takes a connection back for others to use. */
    void giveBack(Connection connection);

    /** Takes a connection back and closes it. */
    void discard(Connection connection);

    /** Closes the connections that are not in use, unless they serve others too. */
    void discardIdle();

    /** Closes the connections that the pool owns. */
    void close();
}
