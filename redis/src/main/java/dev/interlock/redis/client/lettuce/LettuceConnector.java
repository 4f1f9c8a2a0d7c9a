// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.lettuce;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;

/** Creates nodes over Lettuce connections of our own, which share threads. */
public final class LettuceConnector implements ServerConnector {
    private final Environment env;
    private final ConnectionSettings settings;
    private final LettuceClient.OwnThreads threads = new LettuceClient.OwnThreads();

    public LettuceConnector(Environment env, ConnectionSettings settings) {
        this.env = env;
        this.settings = settings;
    }

    @Override
    public ClientNode connect(RedisEndpoint server) {
        return connect(server, false);
    }

    @Override
    public ClientNode connectExamined(RedisEndpoint server) {
        return connect(server, true);
    }

    private ClientNode connect(RedisEndpoint server, boolean examined) {
        Failures failures = new Failures(env, server.toString());
        ServerAccess access = new ServerAccess(env, failures, server, settings, examined);
        return node(env, LettuceClient.own(env, access, threads), failures);
    }

    /** Creates the node of the server that a client connects to. */
    public static ClientNode node(Environment env, LettuceClient client, Failures failures) {
        LettuceWire wire = new LettuceWire(env, failures, client);
        return new ClientNode(env, failures, wire, new LettuceSubscriptions(env, failures, client));
    }

    @Override
    public void close() {
        threads.release(env);
    }
}
