// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.jedis.JedisClusterConnector;
import dev.interlock.redis.client.jedis.JedisSubscriptions;
import dev.interlock.redis.client.jedis.JedisWire;
import dev.interlock.redis.topology.cluster.ClusterNode;
import java.time.Duration;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;

/** Makes {@link RedisNode}s over Jedis, which must be there. */
public final class JedisNodes {
    /** How long a node of a cluster may take to tell its slots. */
    private static final Duration TELLING_TIMEOUT = Duration.ofSeconds(2);

    private JedisNodes() {}

    /**
     * Makes a node over the connection pool of a client, and one more connection made in the same way to listen. How long
     * connecting may take is for the client to say, whatever a call allows.
     *
     * <p>Jedis sends nothing more on a connection whose reply was late, so {@link RedisNode#callOrUndo} treats it as broken
     * and does not undo. Nor does the node close idle connections of the pool when another one broke; whether those are tested is
     * for the pool's configuration to say. Where that matters, give an endpoint to {@link RedisNodes#jedis} instead.
     *
     * @param client the client, which stays open when the node is closed
     * @param env time and threads
     * @return the node
     */
    public static RedisNode of(RedisClient client, Environment env) {
        Failures failures = new Failures("the server of the given Jedis client");
        JedisWire wire = JedisWire.of(env, failures, client.getPool());
        return new ClientNode(env, failures, wire, new JedisSubscriptions(wire));
    }

    /**
     * Makes a node that leads to a Redis Cluster, over the connection pools that a client has for the nodes of the cluster, and one more
     * connection to each that there is something to listen to. Everything else is as for {@link #of(RedisClient, Environment)}; the
     * client's own redirections and repetitions are not used.
     *
     * @param client the client, which stays open when the node is closed
     * @param env time and threads
     * @return the node
     */
    public static RedisNode of(RedisClusterClient client, Environment env) {
        JedisClusterConnector connector = new JedisClusterConnector(env, client);
        return new ClusterNode(connector.nodes(), connector, TELLING_TIMEOUT, env);
    }
}
