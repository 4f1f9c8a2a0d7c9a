// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import java.time.Duration;
import java.util.Optional;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Provides the client, and knows who owns it. Safe to use from any thread. */
interface ClientSource extends AutoCloseable {
    /** Returns the configuration of the client. */
    Config config();

    /** Returns whether the application uses the client too. */
    boolean isShared();

    /** Returns the key that the client maps a name to. */
    String map(String name);

    /**
     * Returns the client, connected. An interrupt does not end the wait, and leaves the interrupt status set.
     *
     * @throws dev.interlock.LockBackendException if it cannot be connected within the time
     */
    RedissonClient get(Duration timeout);

    /** Returns the client, if it is connected. */
    Optional<RedissonClient> ifConnected();

    /** Closes the client if this object opened it. */
    @Override
    void close();
}
