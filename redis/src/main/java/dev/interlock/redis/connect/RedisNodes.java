// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.client.jedis.JedisConnector;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.endpoint.RedisTopology;
import dev.interlock.redis.topology.cluster.ClusterNode;
import java.util.List;

/**
 * Makes {@link RedisNode}s with connections of their own, over a client library that need be there only if it is asked for.
 *
 * <p>No method connects; a node does when it is first used. See {@link JedisNodes} and {@link LettuceNodes} for nodes over a
 * client that the application already has.
 */
public final class RedisNodes {
    private RedisNodes() {}

    /**
     * Makes the node of whatever the endpoints of a configuration name together, with connections of its own.
     *
     * @param library the client library
     * @param config names the endpoints, and tells how long connecting may take
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if the endpoints cannot be used, or if the library is missing; the message says what to do
     */
    public static RedisNode open(ClientLibrary library, LockConfig config, Environment env) {
        RedisTopology topology = RedisTopology.of(config);
        if (topology instanceof RedisTopology.Standalone standalone) {
            try (ServerConnector connector = connector(library, config, env)) {
                return connector.connect(standalone.server());
            }
        }
        if (topology instanceof RedisTopology.Cluster cluster) {
            return new ClusterNode(cluster.seeds(), connector(library, config, env), config.commandTimeout(), env);
        }
        throw new IllegalArgumentException("several servers are not supported yet: name one server");
    }

    /**
     * Returns the only server of a configuration, for strategies that use nothing else.
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
        try (ServerConnector connector = connector(ClientLibrary.JEDIS, config, env)) {
            return connector.connect(endpoint);
        }
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
        try (ServerConnector connector = connector(ClientLibrary.LETTUCE, config, env)) {
            return endpoints.stream().<RedisNode>map(connector::connect).toList();
        }
    }

    private static ServerConnector connector(ClientLibrary library, LockConfig config, Environment env) {
        library.require();
        return switch (library) {
            case JEDIS -> new JedisConnector(env, config.commandTimeout());
            case LETTUCE -> new LettuceConnector(env, config.commandTimeout());
        };
    }
}
