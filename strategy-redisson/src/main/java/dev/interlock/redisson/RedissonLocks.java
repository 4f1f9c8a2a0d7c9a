// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/**
 * Creates factories of {@code redisson} locks over a client of the application. The factories do not close the client.
 *
 * <pre>{@code
 * DistributedLockFactory locks = RedissonLocks.builder().redisson(client).build();
 * }</pre>
 *
 * <p>Programs without a client of their own ask {@link dev.interlock.DistributedLocks#getInstance(String, LockConfig)}.
 * A builder is not safe for use by several threads at once.
 */
public final class RedissonLocks {
    private LockConfig config = LockConfig.builder().build();
    private @Nullable RedissonClient client;

    private RedissonLocks() {}

    /**
     * Returns a builder.
     *
     * @return a new builder
     */
    public static RedissonLocks builder() {
        return new RedissonLocks();
    }

    /**
     * Uses a client, with its connections, threads and name mapper. Requests are sent once, whatever its
     * {@code retryAttempts}, and time out as the configuration of the locks says.
     *
     * @param redisson the client, connected to one server, to sentinels or to a cluster
     * @return this builder
     */
    public RedissonLocks redisson(RedissonClient redisson) {
        this.client = Objects.requireNonNull(redisson, "redisson");
        return this;
    }

    /**
     * Sets the configuration. Its endpoints are without effect.
     *
     * @param config the configuration
     * @return this builder
     */
    public RedissonLocks config(LockConfig config) {
        this.config = Objects.requireNonNull(config, "config");
        return this;
    }

    /**
     * Returns a factory of locks over the client.
     *
     * @return a new factory, which the caller must close
     * @throws IllegalStateException if no client was given
     * @throws IllegalArgumentException if the configuration has an option that this strategy does not know, or a value
     *     that makes no sense
     */
    public DistributedLockFactory build() {
        if (client == null) {
            throw new IllegalStateException(
                    "no client was given: call redisson(…), or DistributedLocks.getInstance(…) for one of its own");
        }
        config.requireKnownOptions(new RedissonStrategyProvider());
        RedissonFailures failures = new RedissonFailures("the server of the Redisson client");
        Environment env = Environment.system();
        return RedissonProtocol.newFactory(
                new HandedInClient(client, failures, env), Settings.of(config), failures, config, env);
    }
}
