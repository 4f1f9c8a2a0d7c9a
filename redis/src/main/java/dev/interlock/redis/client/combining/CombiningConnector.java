// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.client.jedis.JedisDialer;
import dev.interlock.redis.client.jedis.JedisSubscriptions;
import dev.interlock.redis.client.jedis.JedisWire;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;

/** Creates nodes over few connections that all threads share. Needs Jedis. */
public final class CombiningConnector implements ServerConnector {
    private final Environment env;
    private final ConnectionSettings settings;

    public CombiningConnector(Environment env, ConnectionSettings settings) {
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
        JedisWire pool = JedisWire.own(env, access);
        JedisDialer dialer = new JedisDialer(env, access);
        Connections connections = new Connections(env, failures, dialer, pool, settings.sharedConnections());
        return new ClientNode(
                env,
                failures,
                new CombiningWire(env, failures, dialer, pool, connections),
                new JedisSubscriptions(pool));
    }

    @Override
    public void close() {
        // The nodes share nothing.
    }
}
