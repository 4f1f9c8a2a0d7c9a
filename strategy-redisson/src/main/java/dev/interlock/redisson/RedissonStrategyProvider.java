// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;

/**
 * Provides the strategy {@code redisson}. Found by {@link java.util.ServiceLoader}; programs that have a client already
 * use {@link RedissonLocks}. Safe to use from any thread.
 */
public final class RedissonStrategyProvider implements LockStrategyProvider {
    static final String NAME = "redisson";

    /** Creates the provider. */
    public RedissonStrategyProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public StrategyProfile profile() {
        return Settings.PROFILE;
    }

    @Override
    public List<StrategyOption> options() {
        return Settings.OPTIONS;
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        Settings settings = Settings.of(config);
        Environment env = Environment.system();
        ClientConfig client = new ClientConfig(config);
        RedissonFailures failures = new RedissonFailures(client.servers());
        return RedissonProtocol.newFactory(
                new OwnClient(client.build(), failures, env), settings, failures, config, env);
    }
}
