// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.ClientNode;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.ServerConnector;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisException;

/** Creates nodes over the pools of a Jedis cluster client, one for each node of the cluster. */
public final class JedisClusterConnector implements ServerConnector {
    private final Environment env;
    private final RedisClusterClient client;

    public JedisClusterConnector(Environment env, RedisClusterClient client) {
        this.env = env;
        this.client = client;
    }

    /** Returns the nodes that the client knows, without credentials: its pools log in by themselves. */
    public List<RedisEndpoint> nodes() {
        return client.getClusterNodes().keySet().stream()
                .map(HostAndPort::from)
                .map(node -> RedisEndpoint.parse("redis://localhost").at(node.getHost(), node.getPort()))
                .toList();
    }

    @Override
    public ClientNode connect(RedisEndpoint server) {
        ConnectionPool pool = pool(server);
        if (pool == null) {
            refresh();
            pool = pool(server);
        }
        if (pool == null) {
            throw new LockBackendException(
                    Reason.UNREACHABLE, "the given Jedis client does not know the cluster's node " + server + " yet");
        }
        Failures failures = new Failures(env, server.toString());
        JedisWire wire = JedisWire.of(env, failures, pool);
        return new ClientNode(env, failures, wire, new JedisSubscriptions(wire));
    }

    private @Nullable ConnectionPool pool(RedisEndpoint server) {
        return client.getClusterNodes().get(new HostAndPort(server.host(), server.port()).toString());
    }

    private void refresh() {
        try {
            client.refreshClusterTopology();
        } catch (NoSuchMethodError | JedisException e) {
            // Jedis 7 has no method for this. Both versions also refresh when a command of their own is redirected to
            // another node.
        }
    }

    @Override
    public void close() {
        // The pools belong to the client.
    }
}
