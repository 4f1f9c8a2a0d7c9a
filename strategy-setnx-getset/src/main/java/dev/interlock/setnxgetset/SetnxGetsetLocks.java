// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.JedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/**
 * Creates factories of {@code setnx-getset} locks over a client of the application. The factories do not close the
 * client.
 *
 * <pre>{@code
 * DistributedLockFactory locks = SetnxGetsetLocks.builder().jedis(client).build();
 * }</pre>
 *
 * <p>Programs without a client of their own ask {@link dev.interlock.DistributedLocks#getInstance(String, LockConfig)},
 * or use {@link #connections} where options cannot carry what is needed. A builder is not safe for use by several
 * threads at once.
 */
public final class SetnxGetsetLocks {
    private LockConfig config = LockConfig.builder().build();
    private @Nullable Function<Environment, RedisNode> nodeMaker;
    private @Nullable Consumer<ConnectionSettings.Builder> connections;
    private Environment env = Environment.system();

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
     * Uses connections from the pool of a Jedis client, which needs room for the threads that are busy at once.
     * Time-outs are those of the client where it sets them.
     *
     * @param client the client
     * @return this builder
     */
    public SetnxGetsetLocks jedis(RedisClient client) {
        Objects.requireNonNull(client, "client");
        nodeMaker = env -> JedisNodes.of(client, env);
        return this;
    }

    /**
     * Uses connections from the pools that a Jedis client has for the nodes of a cluster, as
     * {@link #jedis(RedisClient)} does for one server.
     *
     * @param client the client
     * @return this builder
     */
    public SetnxGetsetLocks jedis(RedisClusterClient client) {
        Objects.requireNonNull(client, "client");
        nodeMaker = env -> JedisNodes.of(client, env);
        return this;
    }

    /**
     * Uses connections from the pool of a Jedis client, whatever its type. A {@code RedisClient} is one server; a
     * {@code RedisSentinelClient} says which server is the primary now.
     *
     * @param client the client
     * @return this builder
     * @throws IllegalArgumentException from {@link #build} if locks cannot be kept over a client of its type, such as a
     *     {@code MultiDbClient}; the message says why
     */
    public SetnxGetsetLocks jedis(UnifiedJedis client) {
        Objects.requireNonNull(client, "client");
        nodeMaker = env -> JedisNodes.of(client, config.commandTimeout(), env);
        return this;
    }

    /**
     * Uses a port to Redis that is not one of this library's, with the clock and the threads that go with it: that of a
     * simulation, which has a clock of its own.
     *
     * @param node the server, which the factory closes
     * @param environment the source of time, waiting, threads and randomness
     * @return this builder
     */
    public SetnxGetsetLocks node(RedisNode node, Environment environment) {
        Objects.requireNonNull(node, "node");
        env = Objects.requireNonNull(environment, "environment");
        nodeMaker = ignored -> node;
        return this;
    }

    /**
     * Uses connections of its own to the endpoint of the configuration. Their settings are those of the options,
     * changed by the given function, which can set what options cannot hold: a TLS context and a supplier of
     * credentials.
     *
     * @param settings changes the settings that the options give; called by {@link #build}
     * @return this builder
     */
    public SetnxGetsetLocks connections(Consumer<ConnectionSettings.Builder> settings) {
        this.connections = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets the configuration. Over a client that is handed in, its endpoints and the options that concern connections
     * are without effect.
     *
     * @param config the configuration
     * @return this builder
     */
    public SetnxGetsetLocks config(LockConfig config) {
        this.config = Objects.requireNonNull(config, "config");
        return this;
    }

    /**
     * Returns a factory of locks.
     *
     * @return a new factory, which the caller must close
     * @throws IllegalStateException if neither a client nor {@link #connections} was given, or both were
     * @throws IllegalArgumentException if the configuration has an option that this strategy does not know, or a value
     *     that makes no sense
     */
    public DistributedLockFactory build() {
        config.requireKnownOptions(new SetnxGetsetStrategyProvider());
        if (connections != null) {
            if (nodeMaker != null) {
                throw new IllegalStateException(
                        "both a client and connections(…) were given: a client that is handed in has settings of its own");
            }
            return SetnxGetsetStrategyProvider.newFactory(config, ConnectionSettings.of(config, connections));
        }
        if (nodeMaker == null) {
            throw new IllegalStateException(
                    "no client was given: call jedis(…), node(…) or connections(…), or DistributedLocks.getInstance(…) for one of its own");
        }
        Settings settings = Settings.of(config);
        return SetnxGetsetProtocol.newFactory(nodeMaker.apply(env), settings, config, env);
    }
}
