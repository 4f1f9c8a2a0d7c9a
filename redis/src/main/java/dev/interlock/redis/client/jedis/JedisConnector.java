// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;

/** Makes nodes over Jedis connections of our own. */
public final class JedisConnector implements ServerConnector {
    private final Environment env;
    private final Duration connectTimeout;

    public JedisConnector(Environment env, Duration connectTimeout) {
        this.env = env;
        this.connectTimeout = connectTimeout;
    }

    @Override
    public ClientNode connect(RedisEndpoint server) {
        Failures failures = new Failures(server.toString());
        JedisWire wire = JedisWire.own(env, failures, server, connectTimeout);
        return new ClientNode(env, failures, wire, new JedisSubscriptions(wire));
    }

    @Override
    public void close() {
        // The nodes share nothing.
    }
}
