// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.connect;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.lettuce.LettuceClient;
import dev.interlock.redis.client.lettuce.LettuceClusterConnector;
import dev.interlock.redis.client.lettuce.LettuceConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.topology.cluster.ClusterNode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;

/** Makes {@link RedisNode}s over Lettuce, which must be there. */
public final class LettuceNodes {
    private LettuceNodes() {}

    /**
     * Makes a node with connections of its own that share the threads and options of a client, except that nothing is ever
     * sent twice: the client's own connections may do so when they reconnect.
     *
     * @param client the client, which stays open when the node is closed
     * @param uri the server; its time-out bounds connecting
     * @param env time and threads
     * @return the node
     */
    public static RedisNode of(RedisClient client, RedisURI uri, Environment env) {
        String server = uri.getHost() == null
                ? "the server of the given Lettuce client"
                : (uri.isSsl() ? "rediss://" : "redis://") + uri.getHost() + ":" + uri.getPort();
        return LettuceConnector.node(env, LettuceClient.of(env, client, uri), new Failures(server));
    }

    /**
     * Makes a node that leads to a Redis Cluster, with connections of its own to the nodes of the cluster that share the threads and
     * options of a client, except that nothing is ever sent twice; the client's own redirections are not used.
     *
     * @param client the client, which stays open when the node is closed
     * @param seed some node of the cluster, with what is needed to log in to all of them; its time-out bounds connecting
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
