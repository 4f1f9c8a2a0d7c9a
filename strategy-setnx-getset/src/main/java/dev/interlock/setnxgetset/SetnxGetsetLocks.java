// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.connect.JedisNodes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * Makes factories of {@code setnx-getset} locks over a client that the application has already, which they do not close.
 *
 * <pre>{@code
 * DistributedLockFactory locks = SetnxGetsetLocks.builder().jedis(client).build();
 * }</pre>
 *
 * <p>Programs without a client of their own ask {@link dev.interlock.DistributedLocks#getInstance(String, LockConfig)}. A builder is
 * not safe for use by several threads at once.
 */
public final class SetnxGetsetLocks {
    private LockConfig config = LockConfig.builder().build();
    private @Nullable RedisClient client;

    private SetnxGetsetLocks() {}

    /**
     * Returns a builder.
     *
     * @return a new builder
     */
    public static SetnxGetsetLocks builder() {
        return new SetnxGetsetLocks();
    }

    /**
     * Uses connections from the pool of a Jedis client, which needs room for the threads that are busy at once. Time-outs are those
     * of the client where it sets them.
     *
     * @param client the client
     * @return this builder
     */
    public SetnxGetsetLocks jedis(RedisClient client) {
        this.client = Objects.requireNonNull(client, "client");
        return this;
    }

    /**
     * Sets the configuration. Its endpoints, and the options {@code client} and {@code shared-connections}, are without effect.
     *
     * @param config the configuration
     * @return this builder
     */
    public SetnxGetsetLocks config(LockConfig config) {
        this.config = Objects.requireNonNull(config, "config");
        return this;
    }

    /**
     * Returns a factory of locks over the client.
     *
     * @return a new factory, which the caller must close
     * @throws IllegalStateException if no client was given
     * @throws IllegalArgumentException if the configuration has an option that this strategy does not know, or a value that makes
     *     no sense
     */
    public DistributedLockFactory build() {
        if (client == null) {
            throw new IllegalStateException(
                    "no client was given: call jedis(…), or DistributedLocks.getInstance(…) for one of its own");
        }
        config.requireKnownOptions(new SetnxGetsetStrategyProvider());
        Settings settings = Settings.of(config);
        Environment env = Environment.system();
        return SetnxGetsetProtocol.newFactory(JedisNodes.of(client, env), settings, config, env);
    }
}
