// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.lettuce.LettuceClient;
import dev.interlock.redis.client.lettuce.LettuceClusterConnector;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.topology.PrimaryFollower;
import dev.interlock.redis.topology.ReplicatedSource;
import dev.interlock.redis.topology.SentinelSource;
import dev.interlock.redis.topology.Topologies;
import dev.interlock.redis.topology.cluster.ClusterNode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;

/** Creates {@link RedisNode}s over Lettuce, which must be on the class path. */
public final class LettuceNodes {
    private LettuceNodes() {}

    /**
     * Creates a node with connections of its own that share the threads and options of a client. Unlike the client's
     * own connections, they never send a command again after a reconnection.
     *
     * @param client the client, which stays open when the node is closed
     * @param uri the server, or the sentinels that know the primary, as {@link RedisURI#getSentinels} has them; its
     *     time-out bounds connecting, and a search for the primary that no caller waits for
     * @param env time and threads
     * @return the node
     */
    public static RedisNode of(RedisClient client, RedisURI uri, Environment env) {
        if (uri.getSentinels().isEmpty()) {
            return single(client, uri, env);
        }
        String masterName = uri.getSentinelMasterId();
        if (masterName == null) {
            throw new IllegalArgumentException(
                    "the RedisURI has sentinels and no name of the primary: set it by withSentinelMasterId");
        }
        List<RedisNode> sentinels = uri.getSentinels().stream()
                .map(sentinel -> single(client, sentinel, env))
                .toList();
        String name =
                uri.getSentinels().stream().map(LettuceNodes::name).toList().toString();
        SentinelSource source = new SentinelSource(
                env, masterName, name, sentinels, (host, port) -> single(client, at(uri, host, port), env));
        return new PrimaryFollower(env, Topologies.nameOf(masterName), timeout(uri), source, () -> {});
    }

    /**
     * Creates a node for the primary among several servers, with connections of its own as {@link #of(RedisClient,
     * RedisURI, Environment)} makes them.
     *
     * @param client the client, which stays open when the node is closed
     * @param uris the primary and its replicas in any order
     * @param env time and threads
     * @return the node
     * @throws IllegalArgumentException if there is no server
     */
    public static RedisNode of(RedisClient client, List<RedisURI> uris, Environment env) {
        if (uris.isEmpty()) {
            throw new IllegalArgumentException(
                    "no server was given: give the RedisURI of the primary and of its replicas");
        }
        if (uris.size() == 1) {
            return of(client, uris.get(0), env);
        }
        List<ReplicatedSource.Server> servers = uris.stream()
                .map(uri -> new ReplicatedSource.Server(
                        name(uri), single(client, uri, env), () -> single(client, uri, env)))
                .toList();
        String names = uris.stream().map(LettuceNodes::name).toList().toString();
        return new PrimaryFollower(
                env, "the primary of " + names, timeout(uris.get(0)), new ReplicatedSource(env, servers), () -> {});
    }

    private static RedisNode single(RedisClient client, RedisURI uri, Environment env) {
        return LettuceConnector.node(env, LettuceClient.of(env, client, uri), new Failures(env, name(uri)));
    }

    private static String name(RedisURI uri) {
        return uri.getHost() == null
                ? "the server of the given Lettuce client"
                : (uri.isSsl() ? "rediss://" : "redis://") + uri.getHost() + ":" + uri.getPort();
    }

    /** Returns the URI of another server with the same settings, without sentinels. */
    private static RedisURI at(RedisURI uri, String host, int port) {
        return RedisURI.builder(uri).withHost(host).withPort(port).build();
    }

    private static Duration timeout(RedisURI uri) {
        return uri.getTimeout().isZero() ? RedisURI.DEFAULT_TIMEOUT_DURATION : uri.getTimeout();
    }

    /**
     * Creates a node for a Redis Cluster, with connections of its own that share the threads and options of a client.
     * No command is ever sent twice, and the client's own redirections are not used.
     *
     * @param client the client, which stays open when the node is closed
     * @param seed some node of the cluster, with what is needed to log in to all of them; its time-out bounds
     *     connecting
     * @param env time and threads
     * @return the node
     */
    public static RedisNode of(RedisClusterClient client, RedisURI seed, Environment env) {
        RedisEndpoint first = RedisEndpoint.parse(seed.isSsl() ? "rediss://localhost" : "redis://localhost")
                .at(seed.getHost(), seed.getPort());
        Duration timeout = seed.getTimeout().isZero() ? RedisURI.DEFAULT_TIMEOUT_DURATION : seed.getTimeout();
        return new ClusterNode(List.of(first), new LettuceClusterConnector(env, client, seed), timeout, env);
    }
}
