// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;

/** Creates nodes over connections of our own that share the threads and options of a Lettuce cluster client. */
public final class LettuceClusterConnector implements ServerConnector {
    private final Environment env;
    private final RedisClusterClient client;
    private final RedisURI seed;

    /** @param seed what is needed to log in, which is the same at all nodes */
    public LettuceClusterConnector(Environment env, RedisClusterClient client, RedisURI seed) {
        this.env = env;
        this.client = client;
        this.seed = seed;
    }

    @Override
    public ClientNode connect(RedisEndpoint server) {
        RedisURI uri = RedisURI.builder(seed)
                .withHost(server.host())
                .withPort(server.port())
                .withTimeout(seed.getTimeout())
                .build();
        return LettuceConnector.node(env, LettuceClient.of(env, client, uri), new Failures(env, server.toString()));
    }

    @Override
    public void close() {
        // The threads belong to the client.
    }
}
