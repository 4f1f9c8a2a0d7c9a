// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisTopology;
import dev.interlock.setnxpx.SetNxPxLocks;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Makes factories of the strategy {@code set-nx-px}, over Jedis and Lettuce. */
final class SetNxPxBuilder implements StrategyBuilder {
    @Override
    public Optional<DistributedLockFactory> build(LockConfig config, ServerConnection connection) {
        SetNxPxLocks builder = SetNxPxLocks.builder().config(config);
        SSLContext context = connection.sslContext();
        Object client = connection.client();
        if (client == null) {
            builder.connections(settings -> {
                if (context != null) {
                    settings.sslContext(context);
                }
            });
        } else if (ClientKind.JEDIS.isKindOf(client)) {
            builder.jedis((redis.clients.jedis.UnifiedJedis) client);
        } else if (ClientKind.LETTUCE.isKindOf(client)) {
            setLettuce(builder, (io.lettuce.core.RedisClient) client, RedisTopology.of(config));
        } else if (ClientKind.LETTUCE_CLUSTER.isKindOf(client)) {
            setLettuce(builder, (io.lettuce.core.cluster.RedisClusterClient) client, RedisTopology.of(config));
        } else {
            return Optional.empty();
        }
        return Optional.of(builder.build());
    }

    private static void setLettuce(SetNxPxLocks builder, io.lettuce.core.RedisClient client, RedisTopology topology) {
        if (topology instanceof RedisTopology.Standalone standalone) {
            builder.lettuce(client, LettuceUris.of(standalone.server()));
        } else if (topology instanceof RedisTopology.Replicated replicated) {
            builder.lettuce(client, LettuceUris.of(replicated.servers()));
        } else if (topology instanceof RedisTopology.Sentinel sentinel) {
            builder.lettuce(client, LettuceUris.of(sentinel));
        } else {
            throw new IllegalArgumentException(
                    "a Lettuce RedisClient cannot reach a cluster: name a bean of the type RedisClusterClient");
        }
    }

    private static void setLettuce(
            SetNxPxLocks builder, io.lettuce.core.cluster.RedisClusterClient client, RedisTopology topology) {
        if (!(topology instanceof RedisTopology.Cluster cluster)) {
            throw new IllegalArgumentException(
                    "a Lettuce RedisClusterClient reaches nothing but a cluster: name a bean of"
                            + " the type RedisClient, or servers by redis-cluster:// or spring.data.redis.cluster.nodes");
        }
        builder.lettuce(client, LettuceUris.of(cluster.seeds().get(0)));
    }
}
