// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.combining.CombiningConnector;
import dev.interlock.redis.client.jedis.JedisConnector;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.spi.StrategyOption;
import java.util.List;

/**
 * Makes {@link RedisNode}s with connections of their own, over a client library that need be there only if it is asked for.
 *
 * <p>No method connects; a node does when it is first used. See {@link JedisNodes} and {@link LettuceNodes} for nodes over a
 * client that the application already has.
 */
public final class RedisNodes {
    /** The option for how many connections {@link #interlock} opens at most for the commands of all threads. */
    public static final StrategyOption SHARED_CONNECTIONS = new StrategyOption(
                    "shared-connections",
                    "4",
                    "with client=interlock, how many connections to a server all threads share at most, from 1 to 64; they are opened as"
                            + " they are needed")
            .mixedWith("2");

    private RedisNodes() {}

    /**
     * Makes a node with Jedis connections of its own: as many as are used at once, at most 64.
     *
     * @param endpoint the server
     * @param config tells how long connecting may take where no call sets a bound
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing; the message names the artifact to add
     */
    public static RedisNode jedis(RedisEndpoint endpoint, LockConfig config, Environment env) {
        require("Jedis", "redis.clients.jedis.Connection", "redis.clients:jedis");
        return new JedisConnector(env, config.commandTimeout()).connect(endpoint);
    }

    /**
     * Makes a node with few connections of its own that all threads share: whoever finds one free writes and reads for all who come
     * meanwhile. Nobody waits for a connection of a pool, a thread that is alone never waits for another one, and where there are
     * many, server and client make one system call for many commands. Transactions and subscriptions have connections of their own.
     * Needs Jedis, which reads the replies.
     *
     * @param endpoint the server
     * @param config tells how many connections threads share ({@link #SHARED_CONNECTIONS}), and how long connecting may take where
     *     no call sets a bound
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing, where the message names the artifact to add; or if the number of
     *     connections makes no sense
     */
    public static RedisNode interlock(RedisEndpoint endpoint, LockConfig config, Environment env) {
        require("Jedis", "redis.clients.jedis.Connection", "redis.clients:jedis");
        return new CombiningConnector(env, config.commandTimeout(), sharedConnections(config)).connect(endpoint);
    }

    private static int sharedConnections(LockConfig config) {
        String value = config.option(SHARED_CONNECTIONS.name())
                .orElse(SHARED_CONNECTIONS.defaultValue())
                .strip();
        if (!value.matches("[1-9]|[1-5][0-9]|6[0-4]")) {
            throw new IllegalArgumentException("option " + SHARED_CONNECTIONS.name() + " is \"" + value
                    + "\": it must be a whole number from 1 to 64");
        }
        return Integer.parseInt(value);
    }

    /**
     * Makes a node with a Lettuce client of its own, which shares one connection among all threads.
     *
     * @param endpoint the server
     * @param config tells how long connecting may take
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Lettuce is missing; the message names the artifact to add
     */
    public static RedisNode lettuce(RedisEndpoint endpoint, LockConfig config, Environment env) {
        return lettuce(List.of(endpoint), config, env).get(0);
    }

    /**
     * Makes nodes with Lettuce clients of their own, which share their threads; these end when all of the nodes are closed.
     *
     * @param endpoints the servers
     * @param config tells how long connecting may take
     * @param env time and threads
     * @return the nodes, in the order of the servers
     * @throws IllegalArgumentException if Lettuce is missing; the message names the artifact to add
     */
    public static List<RedisNode> lettuce(List<RedisEndpoint> endpoints, LockConfig config, Environment env) {
        require("Lettuce", "io.lettuce.core.RedisClient", "io.lettuce:lettuce-core");
        try (LettuceConnector connector = new LettuceConnector(env, config.commandTimeout())) {
            return endpoints.stream().map(connector::connect).toList();
        }
    }

    /**
     * Returns the endpoint of a strategy that uses one server.
     *
     * @param strategy the name of the strategy, for the message
     * @param config the configuration
     * @return its only endpoint
     * @throws IllegalArgumentException if it names none or several, or one that is none of a Redis server
     */
    public static RedisEndpoint onlyEndpoint(String strategy, LockConfig config) {
        if (config.endpoints().size() != 1) {
            throw new IllegalArgumentException("strategy " + strategy + " uses one server, and the configuration names "
                    + config.endpoints().size() + ": give one endpoint, or use redlock for several");
        }
        return RedisEndpoint.of(config.endpoints().get(0));
    }

    private static void require(String library, String type, String artifact) {
        try {
            Class.forName(type, false, RedisNodes.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    library + " is not there: add the artifact " + artifact
                            + " to the program, or choose another client",
                    e);
        }
    }
}
