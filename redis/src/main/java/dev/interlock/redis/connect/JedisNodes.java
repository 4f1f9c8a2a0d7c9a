// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.jedis.JedisClusterConnector;
import dev.interlock.redis.client.jedis.JedisSubscriptions;
import dev.interlock.redis.client.jedis.JedisWire;
import dev.interlock.redis.topology.PrimaryFollower;
import dev.interlock.redis.topology.cluster.ClusterNode;
import java.time.Duration;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/** Creates {@link RedisNode}s over Jedis, which must be on the class path. */
public final class JedisNodes {
    /** The time-out of {@code CLUSTER SLOTS}. */
    private static final Duration TELLING_TIMEOUT = Duration.ofSeconds(2);

    private JedisNodes() {}

    /**
     * Creates a node over the connection pool of a client, and one more connection of the same kind for subscriptions.
     * The client's own connect time-out applies, whatever the time-out of a call.
     *
     * <p>Jedis sends nothing more on a connection whose reply was late, so {@link RedisNode#callOrUndo} treats it as
     * broken and does not undo. Nor does the node close idle connections of the pool when another one broke; whether
     * those are tested is for the pool's configuration to say. Where that matters, give an endpoint to
     * {@link RedisNodes#jedis} instead.
     *
     * @param client the client, which stays open when the node is closed
     * @param env time and threads
     * @return the node
     */
    public static RedisNode of(RedisClient client, Environment env) {
        return of(client.getPool(), "the server of the given Jedis client", env);
    }

    /**
     * Creates a node over the connections of a client that asks sentinels for the primary. The client names the server;
     * the server itself is asked for its role before it is used, and again whenever there are doubts.
     *
     * @param client the client, which stays open when the node is closed
     * @param timeout how long a search for the primary may take that no caller waits for
     * @param env time and threads
     * @return the node
     */
    public static RedisNode of(RedisSentinelClient client, Duration timeout, Environment env) {
        return new PrimaryFollower(
                env, "the primary of the given Jedis client", timeout, new JedisSentinelSource(client, env), () -> {});
    }

    /**
     * Creates a node over a client of any type that this class has a method for.
     *
     * @param client the client, which stays open when the node is closed
     * @param timeout how long a search for a server may take that no caller waits for
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if locks cannot be kept over a client of its type; the message says why
     */
    public static RedisNode of(UnifiedJedis client, Duration timeout, Environment env) {
        try {
            return byType(client, timeout, env);
        } catch (NoClassDefFoundError e) {
            throw new IllegalArgumentException(
                    "no client of this version of Jedis can be used (" + e.getMessage()
                            + " is missing): update Jedis to 7.4.1 or later, or name the servers as endpoints",
                    e);
        }
    }

    private static RedisNode byType(UnifiedJedis client, Duration timeout, Environment env) {
        if (client instanceof RedisClient single) {
            return of(single, env);
        }
        if (client instanceof RedisSentinelClient sentinel) {
            return of(sentinel, timeout, env);
        }
        if (client instanceof RedisClusterClient cluster) {
            return of(cluster, env);
        }
        String type = client.getClass().getName();
        if (type.equals("redis.clients.jedis.MultiDbClient")) {
            throw new IllegalArgumentException(
                    "a MultiDbClient changes between databases that do not share their data, so that two holders would have"
                            + " a lock each in one of them: give a client of one database");
        }
        throw new IllegalArgumentException(
                "a client of type " + type
                        + " cannot be used: give a RedisClient, RedisSentinelClient or RedisClusterClient, or name the servers as endpoints");
    }

    static RedisNode of(Pool<Connection> pool, String server, Environment env) {
        Failures failures = new Failures(env, server);
        JedisWire wire = JedisWire.of(env, failures, pool);
        return new ClientNode(env, failures, wire, new JedisSubscriptions(wire));
    }

    /**
     * Creates a node for a Redis Cluster, over the client's connection pools for the cluster nodes, and one more
     * connection for subscriptions to each node that needs one. Everything else is as for {@link #of(RedisClient,
     * Environment)}; the client's own redirections and repetitions are not used.
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
