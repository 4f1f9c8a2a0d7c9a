// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.client.combining.CombiningConnector;
import dev.interlock.redis.client.jedis.JedisConnector;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.endpoint.RedisTopology;
import dev.interlock.redis.topology.Topologies;
import dev.interlock.redis.topology.cluster.ClusterNode;
import java.util.List;

/**
 * Creates {@link RedisNode}s with connections of their own. A client library is needed only if it is used.
 *
 * <p>No method connects; a node does when it is first used. See {@link JedisNodes} and {@link LettuceNodes} for nodes
 * over a client that the application already has.
 */
public final class RedisNodes {
    private RedisNodes() {}

    /**
     * Creates the node for the topology that the endpoints of a configuration name, with connections of its own and the
     * settings of the configuration.
     *
     * @param library the client library
     * @param config names the endpoints
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if the endpoints cannot be used, an option contradicts them, or the library is
     *     missing; the message says what to do
     */
    public static RedisNode open(ClientLibrary library, LockConfig config, Environment env) {
        return open(library, config, ConnectionSettings.of(config), env);
    }

    /**
     * Creates the node for the topology that the endpoints of a configuration name, with connections of its own.
     *
     * @param library the client library
     * @param config names the endpoints, and tells how long a search for a server may take that no caller waits for
     * @param settings how to connect
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if the endpoints cannot be used, the settings contradict them, or the library is
     *     missing; the message says what to do
     */
    public static RedisNode open(
            ClientLibrary library, LockConfig config, ConnectionSettings settings, Environment env) {
        RedisTopology topology = RedisTopology.of(config);
        if (topology instanceof RedisTopology.Sentinel sentinel) {
            ServerConnector servers = connector(library, List.of(sentinel.login()), settings, env);
            ServerConnector sentinels = connector(library, sentinel.sentinels(), settings.withoutCredentials(), env);
            return Topologies.sentinel(sentinel, servers, sentinels, config.commandTimeout(), env);
        }
        if (topology instanceof RedisTopology.Replicated replicated) {
            ServerConnector connector = connector(library, replicated.servers(), settings, env);
            return Topologies.replicated(replicated, connector, config.commandTimeout(), env);
        }
        if (topology instanceof RedisTopology.Cluster cluster) {
            ServerConnector connector = connector(library, cluster.seeds(), settings, env);
            return new ClusterNode(cluster.seeds(), connector, config.commandTimeout(), env);
        }
        return single(library, ((RedisTopology.Standalone) topology).server(), settings, env);
    }

    /**
     * Creates a node with Jedis connections of its own and the settings of a configuration.
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
     * Creates a node with Jedis connections of its own: as many as are in use at once, up to the limit of the settings.
     *
     * @param endpoint the server
     * @param settings how to connect
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing, or the settings contradict the endpoint
     */
    public static RedisNode jedis(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        return single(ClientLibrary.JEDIS, endpoint, settings, env);
    }

    /**
     * Creates a node with a Lettuce client of its own and the settings of a configuration.
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
     * Creates a node with a Lettuce client of its own, which shares one connection among all threads.
     *
     * @param endpoint the server
     * @param settings how to connect
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Lettuce is missing, or the settings contradict the endpoint
     */
    public static RedisNode lettuce(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        return single(ClientLibrary.LETTUCE, endpoint, settings, env);
    }

    /**
     * Creates a node with few connections that all threads share, and the settings of a configuration. Needs Jedis.
     *
     * @param endpoint the server
     * @param config the options that concern connections, see {@link ConnectionSettings#of}
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing; the message names the artifact to add
     */
    public static RedisNode interlock(RedisEndpoint endpoint, LockConfig config, Environment env) {
        return interlock(endpoint, ConnectionSettings.of(config), env);
    }

    /**
     * Creates a node with few connections that all threads share: the thread that finds one free also writes and reads
     * for the threads that come meanwhile. No thread waits for a connection of a pool, a thread that is alone never
     * waits for another one, and where there are many, server and client make one system call for many commands.
     * Transactions and subscriptions have connections of their own. Needs Jedis, which reads the replies.
     *
     * @param endpoint the server
     * @param settings how to connect
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if Jedis is missing, or the settings contradict the endpoint
     */
    public static RedisNode interlock(RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        return single(ClientLibrary.INTERLOCK, endpoint, settings, env);
    }

    /**
     * Creates nodes with Lettuce clients that share threads; the threads end when all of the nodes are closed. The
     * nodes do not examine their servers.
     *
     * @param endpoints the servers
     * @param settings how to connect
     * @param env time and threads
     * @return the nodes, in the order of the servers
     * @throws IllegalArgumentException if Lettuce is missing, or the settings contradict an endpoint
     */
    public static List<RedisNode> lettuce(List<RedisEndpoint> endpoints, ConnectionSettings settings, Environment env) {
        return open(ClientLibrary.LETTUCE, endpoints, settings, env);
    }

    /**
     * Creates the nodes of several independent servers, with connections of their own. The nodes do not examine their
     * servers.
     *
     * @param library the client library
     * @param endpoints the servers
     * @param settings how to connect
     * @param env time and threads
     * @return the nodes, in the order of the servers
     * @throws IllegalArgumentException if the library is missing, or the settings contradict an endpoint
     */
    public static List<RedisNode> open(
            ClientLibrary library, List<RedisEndpoint> endpoints, ConnectionSettings settings, Environment env) {
        library.require();
        settings.requireConsistent(endpoints);
        try (ServerConnector connector = preloaded(library, endpoints, settings, env)) {
            return endpoints.stream().<RedisNode>map(connector::connect).toList();
        }
    }

    private static RedisNode single(
            ClientLibrary library, RedisEndpoint endpoint, ConnectionSettings settings, Environment env) {
        try (ServerConnector connector = connector(library, List.of(endpoint), settings, env)) {
            return connector.connectExamined(endpoint);
        }
    }

    private static ServerConnector connector(
            ClientLibrary library, List<RedisEndpoint> endpoints, ConnectionSettings settings, Environment env) {
        library.require();
        endpoints.forEach(settings::requireConsistent);
        return preloaded(library, endpoints, settings, env);
    }

    private static ServerConnector preloaded(
            ClientLibrary library, List<RedisEndpoint> endpoints, ConnectionSettings settings, Environment env) {
        boolean tls = endpoints.stream().anyMatch(RedisEndpoint::tls);
        ClientPreload.once(library.name(), plain -> connector(library, plain, Environment.system()), settings, tls);
        return connector(library, settings, env);
    }

    private static ServerConnector connector(ClientLibrary library, ConnectionSettings settings, Environment env) {
        return switch (library) {
            case JEDIS -> new JedisConnector(env, settings);
            case LETTUCE -> new LettuceConnector(env, settings);
            case INTERLOCK -> new CombiningConnector(env, settings);
        };
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
}
