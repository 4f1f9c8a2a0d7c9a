// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.JedisNodes;
import dev.interlock.redis.connect.LettuceNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates factories of {@code set-nx-px} locks over a client that the application already has, and that the factories
 * do not close.
 *
 * <pre>{@code
 * DistributedLockFactory locks = SetNxPxLocks.builder().jedis(client).build();
 * }</pre>
 *
 * <p>Programs without a client of their own call {@link dev.interlock.DistributedLocks#getInstance(String,
 * LockConfig)}, or use {@link #connections} for settings that options cannot hold. A builder is not safe for use by
 * several threads at once.
 */
public final class SetNxPxLocks {
    private LockConfig config = LockConfig.builder().build();
    private @Nullable Function<Environment, RedisNode> nodeMaker;
    private @Nullable Consumer<ConnectionSettings.Builder> connections;
    private Environment env = Environment.system();

    private SetNxPxLocks() {}

    /**
     * Returns a builder.
     *
     * @return a new builder
     */
    public static SetNxPxLocks builder() {
        return new SetNxPxLocks();
    }

    /**
     * Uses connections from the pool of a Jedis client, which needs room for all threads that are busy at once, and one
     * more connection, made in the same way, to listen. Time-outs are those of the client if it sets them. Jedis does
     * not send on a connection whose reply is late, so a request that a stalled server executes late is undone over
     * another connection.
     *
     * @param client the client
     * @return this builder
     */
    public SetNxPxLocks jedis(redis.clients.jedis.RedisClient client) {
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
    public SetNxPxLocks jedis(redis.clients.jedis.UnifiedJedis client) {
        Objects.requireNonNull(client, "client");
        nodeMaker = env -> JedisNodes.of(client, config.commandTimeout(), env);
        return this;
    }

    /**
     * Uses the threads of a Lettuce client, over connections of its own to a server.
     *
     * @param client the client
     * @param uri the server, or the sentinels that know it, with what is needed to log in
     * @return this builder
     */
    public SetNxPxLocks lettuce(io.lettuce.core.RedisClient client, io.lettuce.core.RedisURI uri) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(uri, "uri");
        nodeMaker = env -> LettuceNodes.of(client, uri, env);
        return this;
    }

    /**
     * Uses the threads of a Lettuce client, over connections of its own to the primary among several servers.
     *
     * @param client the client
     * @param uris the primary and its replicas in any order, with what is needed to log in
     * @return this builder
     */
    public SetNxPxLocks lettuce(io.lettuce.core.RedisClient client, List<io.lettuce.core.RedisURI> uris) {
        Objects.requireNonNull(client, "client");
        List<io.lettuce.core.RedisURI> copy = List.copyOf(uris);
        nodeMaker = env -> LettuceNodes.of(client, copy, env);
        return this;
    }

    /**
     * Uses connections from the pools that a Jedis client has for the nodes of a cluster, as {@link
     * #jedis(redis.clients.jedis.RedisClient)} does for one server.
     *
     * @param client the client
     * @return this builder
     */
    public SetNxPxLocks jedis(redis.clients.jedis.RedisClusterClient client) {
        Objects.requireNonNull(client, "client");
        nodeMaker = env -> JedisNodes.of(client, env);
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
    public SetNxPxLocks connections(Consumer<ConnectionSettings.Builder> settings) {
        this.connections = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Uses the threads of a Lettuce client, over connections of its own to the nodes of a cluster.
     *
     * @param client the client
     * @param seed some node of the cluster, with what is needed to log in to all of them
     * @return this builder
     */
    public SetNxPxLocks lettuce(io.lettuce.core.cluster.RedisClusterClient client, io.lettuce.core.RedisURI seed) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(seed, "seed");
        nodeMaker = env -> LettuceNodes.of(client, seed, env);
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
    public SetNxPxLocks node(RedisNode node, Environment environment) {
        Objects.requireNonNull(node, "node");
        env = Objects.requireNonNull(environment, "environment");
        nodeMaker = ignored -> node;
        return this;
    }

    /**
     * Sets the configuration. Over a client that is handed in, its endpoints, the option {@code client} and those that
     * concern connections are without effect.
     *
     * @param config the configuration
     * @return this builder
     */
    public SetNxPxLocks config(LockConfig config) {
        this.config = Objects.requireNonNull(config, "config");
        return this;
    }

    /**
     * Returns a factory of locks.
     *
     * @return a new factory, which the caller must close
     * @throws IllegalStateException if neither a client nor {@link #connections} was given, or both were
     * @throws IllegalArgumentException if the configuration has an unknown option or an invalid value
     */
    public DistributedLockFactory build() {
        config.requireKnownOptions(new SetNxPxStrategyProvider());
        if (connections != null) {
            if (nodeMaker != null) {
                throw new IllegalStateException(
                        "both a client and connections(…) were given: a client that is handed in has settings of its own");
            }
            return SetNxPxStrategyProvider.newFactory(config, ConnectionSettings.of(config, connections));
        }
        if (nodeMaker == null) {
            throw new IllegalStateException(
                    "no client was given: call jedis(…), lettuce(…), node(…) or connections(…), or DistributedLocks.getInstance(…) for one of its own");
        }
        Settings settings = Settings.of(config);
        return SetNxPxProtocol.newFactory(nodeMaker.apply(env), settings, config, env);
    }
}
