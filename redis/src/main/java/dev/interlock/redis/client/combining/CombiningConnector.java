// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.client.jedis.JedisSubscriptions;
import dev.interlock.redis.client.jedis.JedisWire;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;

/** Makes nodes over few connections of our own, which all threads share. Needs Jedis. */
public final class CombiningConnector implements ServerConnector {
    private final Environment env;
    private final Duration connectTimeout;
    private final int connections;

    /**
     * Creates a connector.
     *
     * @param connectTimeout how long connecting may take where no call sets a bound
     * @param connections how many connections to a server the commands of all threads share at most
     */
    public CombiningConnector(Environment env, Duration connectTimeout, int connections) {
        this.env = env;
        this.connectTimeout = connectTimeout;
        this.connections = connections;
    }

    @Override
    public RedisNode connect(RedisEndpoint server) {
        Failures failures = new Failures(server.toString());
        JedisWire pool = JedisWire.own(env, failures, server, connectTimeout);
        CombiningWire wire = new CombiningWire(env, failures, pool, connections);
        return new ClientNode(env, failures, wire, new JedisSubscriptions(pool));
    }

    @Override
    public void close() {
        // The nodes share nothing.
    }
}
