// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.internal;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.redisson.RedissonLocks;
import java.util.Optional;
import org.redisson.api.RedissonClient;

/** Makes factories of the strategy {@code redisson}, over a client of Redisson's. */
final class RedissonBuilder implements StrategyBuilder {
    @Override
    public Optional<DistributedLockFactory> build(LockConfig config, ServerConnection connection) {
        return connection.client() instanceof RedissonClient client
                ? Optional.of(
                        RedissonLocks.builder().redisson(client).config(config).build())
                : Optional.empty();
    }
}
