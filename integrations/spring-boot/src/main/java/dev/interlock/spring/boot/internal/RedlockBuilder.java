// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redlock.RedlockLocks;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Makes factories of the strategy {@code redlock}, over Lettuce. */
final class RedlockBuilder implements StrategyBuilder {
    @Override
    public Optional<DistributedLockFactory> build(LockConfig config, ServerConnection connection) {
        RedlockLocks builder = RedlockLocks.builder().config(config);
        SSLContext context = connection.sslContext();
        Object client = connection.client();
        if (client == null) {
            builder.connections(settings -> {
                if (context != null) {
                    settings.sslContext(context);
                }
            });
        } else if (ClientKind.LETTUCE.isKindOf(client)) {
            builder.lettuce((io.lettuce.core.RedisClient) client, LettuceUris.of(RedisEndpoint.allOf(config)));
        } else {
            return Optional.empty();
        }
        return Optional.of(builder.build());
    }
}
