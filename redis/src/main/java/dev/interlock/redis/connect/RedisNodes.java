// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.jedis.JedisConnector;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.List;

/**
 * Makes {@link RedisNode}s with connections of their own, over a client library that need be there only if it is asked for.
 *
 * <p>No method connects; a node does when it is first used. See {@link JedisNodes} and {@link LettuceNodes} for nodes over a
 * client that the application already has.
 */
public final class RedisNodes {
    private static final String LETTUCE = "Lettuce";

    private RedisNodes() {}

    /**
     * Makes a node with Jedis connections of its own, as the options of a configuration say.
     *
     * @param endpoint the server
     * @param config the options that concern connections, see {@link ConnectionSettings#of}
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing; the message names the artifact to add
     */
    public static RedisNode jedis(RedisEndpoint endpoint, LockConfig config, Environment env) {
        return jedis(endpoint, ConnectionSettings.of(config), env);
    }

    /**
     * Makes a node with Jedis connections of its own: as many as are used at once, up to what the settings say.
     *
     * @param endpoint the server
     * @param settings how to connect
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing, or the settings contradict the endpoint
     */
    public static RedisNode jedis(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        require("Jedis", "redis.clients.jedis.Connection", "redis.clients:jedis");
        try (JedisConnector connector = new JedisConnector(env, settings)) {
            settings.requireConsistent(endpoint);
            ClientPreload.once(
                    "Jedis", plain -> new JedisConnector(Environment.system(), plain), settings, endpoint.tls());
            return connector.connectExamined(endpoint);
        }
    }

    /**
     * Makes a node with a Lettuce client of its own, as the options of a configuration say.
     *
     * @param endpoint the server
     * @param config the options that concern connections, see {@link ConnectionSettings#of}
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Lettuce is missing; the message names the artifact to add
     */
    public static RedisNode lettuce(RedisEndpoint endpoint, LockConfig config, Environment env) {
        return lettuce(endpoint, ConnectionSettings.of(config), env);
    }

    /**
     * Makes a node with a Lettuce client of its own, which shares one connection among all threads.
     *
     * @param endpoint the server
     * @param settings how to connect
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Lettuce is missing, or the settings contradict the endpoint
     */
    public static RedisNode lettuce(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        requireLettuce();
        try (LettuceConnector connector = new LettuceConnector(env, settings)) {
            settings.requireConsistent(endpoint);
            warmUpLettuce(settings, endpoint.tls());
            return connector.connectExamined(endpoint);
        }
    }

    /**
     * Makes nodes with Lettuce clients of their own, which share their threads; these end when all of the nodes are closed. They do
     * not examine their servers.
     *
     * @param endpoints the servers
     * @param settings how to connect
     * @param env time and threads
     * @return the nodes, in the order of the servers
     * @throws IllegalArgumentException if Lettuce is missing, or the settings contradict an endpoint
     */
    public static List<RedisNode> lettuce(List<RedisEndpoint> endpoints, ConnectionSettings settings, Environment env) {
        requireLettuce();
        try (LettuceConnector connector = new LettuceConnector(env, settings)) {
            endpoints.forEach(settings::requireConsistent);
            warmUpLettuce(settings, endpoints.stream().anyMatch(RedisEndpoint::tls));
            return endpoints.stream().map(connector::connect).toList();
        }
    }

    private static void warmUpLettuce(ConnectionSettings settings, boolean tls) {
        ClientPreload.once(LETTUCE, plain -> new LettuceConnector(Environment.system(), plain), settings, tls);
    }

    private static void requireLettuce() {
        require(LETTUCE, "io.lettuce.core.RedisClient", "io.lettuce:lettuce-core");
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
