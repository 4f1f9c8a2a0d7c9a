// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.net.URI;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** Opens Jedis clients with a {@link SpinLock}, and room for as many connections as a busy application allows itself. */
public final class JedisOpener implements Opener {
    private static final int CONNECTIONS = 64;

    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(CONNECTIONS);
        pool.setMaxIdle(CONNECTIONS);
        URI server = endpoints.get(0);
        RedisClient client = RedisClient.builder()
                .hostAndPort(server.getHost(), server.getPort())
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis((int) COMMAND_TIMEOUT.toMillis())
                        .build())
                .poolConfig(pool)
                .build();
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
}
