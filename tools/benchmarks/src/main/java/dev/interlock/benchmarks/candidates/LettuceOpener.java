// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** Opens Lettuce clients with a {@link SpinLock}, whose threads share one connection. */
public final class LettuceOpener implements Opener {
    @Override
    public LockClient open(List<URI> endpoints, Terms terms, Map<String, String> options) {
        Addresses servers = new Addresses(endpoints);
        AbstractRedisClient client;
        RedisClusterCommands<String, String> redis;
        if (servers.areNodesOfACluster()) {
            RedisClusterClient cluster = RedisClusterClient.create(servers.map(LettuceOpener::uri));
            client = cluster;
            redis = cluster.connect().sync();
        } else {
            RedisClient server = RedisClient.create(servers.areSentinels() ? sentinels(servers) : uri(servers.first()));
            client = server;
            redis = server.connect().sync();
        }
        SpinLock.Commands commands = new SpinLock.Commands() {
            @Override
            public boolean setIfAbsent(String key, String token, long leaseMillis) {
                return redis.set(key, token, SetArgs.Builder.nx().px(leaseMillis)) != null;
            }

            @Override
            public void deleteIfEqual(String key, String token) {
                redis.eval(SpinLock.DELETE, ScriptOutputType.INTEGER, new String[] {key}, token);
            }
        };
        return new LockClient(name -> new SpinLock(commands, name, terms.lease()), client::shutdown);
    }

    private static RedisURI uri(URI server) {
        return RedisURI.create(server.getHost(), server.getPort());
    }

    private static RedisURI sentinels(Addresses servers) {
        RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(servers.primaryName());
        servers.uris().forEach(sentinel -> uri.withSentinel(sentinel.getHost(), sentinel.getPort()));
        return uri.build();
    }
}
