// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.endpoint.RedisEndpoint;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
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
        return node(LettuceClient.of(env, client, uri), new Failures(server), env);
    }

    static List<RedisNode> own(List<RedisEndpoint> endpoints, LockConfig config, Environment env) {
        LettuceClient.OwnThreads threads = new LettuceClient.OwnThreads(endpoints.size());
        return endpoints.stream()
                .map(endpoint -> node(
                        LettuceClient.own(env, endpoint, config.commandTimeout(), threads),
                        new Failures(endpoint.toString()),
                        env))
                .toList();
    }

    private static RedisNode node(LettuceClient client, Failures failures, Environment env) {
        LettuceWire wire = new LettuceWire(env, failures, client);
        return new ClientNode(env, failures, wire, new LettuceSubscriptions(env, failures, client));
    }
}
