// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.AbstractClientBuilder;
import redis.clients.jedis.params.SetParams;

/**
 * Opens Jedis clients with a {@link SpinLock}, and room for as many connections as a busy application allows itself.
 */
public final class JedisOpener implements Opener {
    private static final int CONNECTIONS = 64;

    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        UnifiedJedis client = client(endpoints, terms, CONNECTIONS);
        SpinLock.Commands commands = new SpinLock.Commands() {
            @Override
            public boolean setIfAbsent(String key, String token, long leaseMillis) {
                return client.set(key, token, SetParams.setParams().nx().px(leaseMillis)) != null;
            }

            @Override
            public void deleteIfEqual(String key, String token) {
                client.eval(SpinLock.DELETE, List.of(key), List.of(token));
            }
        };
        return new LockClient(name -> new SpinLock(commands, name, terms.lease()), client::close);
    }

    /** Opens a client whose pool has room for a number of connections. */
    static UnifiedJedis client(List<URI> endpoints, Terms terms, int connections) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder();
        terms.commandTimeout().ifPresent(timeout -> config.timeoutMillis((int) timeout.toMillis()));
        return builder(new Addresses(endpoints))
                .clientConfig(config.build())
                .poolConfig(pool)
                .build();
    }

    private static AbstractClientBuilder<?, ? extends UnifiedJedis> builder(Addresses servers) {
        if (servers.areSentinels()) {
            return RedisSentinelClient.builder()
                    .masterName(servers.primaryName())
                    .sentinels(servers.map(JedisOpener::hostAndPort));
        }
        if (servers.areNodesOfACluster()) {
            return RedisClusterClient.builder().nodes(servers.map(JedisOpener::hostAndPort));
        }
        return RedisClient.builder().hostAndPort(hostAndPort(servers.first()));
    }

    private static HostAndPort hostAndPort(URI server) {
        return new HostAndPort(server.getHost(), server.getPort());
    }
}
