// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;

/** Makes nodes over Lettuce connections of our own, which share their threads. */
public final class LettuceConnector implements ServerConnector {
    private final Environment env;
    private final Duration connectTimeout;
    private final LettuceClient.OwnThreads threads = new LettuceClient.OwnThreads();

    public LettuceConnector(Environment env, Duration connectTimeout) {
        this.env = env;
        this.connectTimeout = connectTimeout;
    }

    @Override
    public ClientNode connect(RedisEndpoint server) {
        return node(env, LettuceClient.own(env, server, connectTimeout, threads), new Failures(server.toString()));
    }

    /** Makes the node of the server that a client leads to. */
    public static ClientNode node(Environment env, LettuceClient client, Failures failures) {
        LettuceWire wire = new LettuceWire(env, failures, client);
        return new ClientNode(env, failures, wire, new LettuceSubscriptions(env, failures, client));
    }

    @Override
    public void close() {
        threads.release(env);
    }
}
