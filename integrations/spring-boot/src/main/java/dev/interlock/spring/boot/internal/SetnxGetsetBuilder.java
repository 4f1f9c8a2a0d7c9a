// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.setnxgetset.SetnxGetsetLocks;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Makes factories of the strategy {@code setnx-getset}, over Jedis. */
final class SetnxGetsetBuilder implements StrategyBuilder {
    @Override
    public Optional<DistributedLockFactory> build(LockConfig config, ServerConnection connection) {
        SetnxGetsetLocks builder = SetnxGetsetLocks.builder().config(config);
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
        } else {
            return Optional.empty();
        }
        return Optional.of(builder.build());
    }
}
