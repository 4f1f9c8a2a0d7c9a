// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import java.time.Duration;
import java.util.Optional;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Where the client comes from, and whose it is. Safe to use from any thread. */
interface ClientSource extends AutoCloseable {
    /** The configuration of the client. */
    Config config();

    /** Whether others use the client too. */
    boolean isShared();

    /** What the client makes of a name. */
    String map(String name);

    /**
     * Returns the client, connected. An interrupt does not end the wait, and leaves the interrupt status set.
     *
     * @throws dev.interlock.LockBackendException if it cannot be connected within the time
     */
    RedissonClient get(Duration timeout);

    /** The client, if it is connected. */
    Optional<RedissonClient> ifConnected();

    /** Closes the client if it was opened here. */
    @Override
    void close();
}
