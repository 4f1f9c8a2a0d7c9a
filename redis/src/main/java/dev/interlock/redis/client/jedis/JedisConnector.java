// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;

/** Creates nodes over Jedis connections of our own. */
public final class JedisConnector implements ServerConnector {
    private final Environment env;
    private final ConnectionSettings settings;

    public JedisConnector(Environment env, ConnectionSettings settings) {
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
        JedisWire wire = JedisWire.own(env, new ServerAccess(env, failures, server, settings, examined));
        return new ClientNode(env, failures, wire, new JedisSubscriptions(wire));
    }

    @Override
    public void close() {
        // The nodes share nothing.
    }
}
