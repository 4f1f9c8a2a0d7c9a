// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.List;

/**
 * Provides the strategy {@code setnx-getset}. Found by {@link java.util.ServiceLoader}; programs that have a client
 * already use {@link SetnxGetsetLocks}. Safe to use from any thread.
 */
public final class SetnxGetsetStrategyProvider implements LockStrategyProvider {
    static final String NAME = "setnx-getset";

    /** Creates the provider. */
    public SetnxGetsetStrategyProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public StrategyProfile profile() {
        return Settings.of(LockConfig.builder().build()).profile();
    }

    @Override
    public List<StrategyOption> options() {
        return Settings.OPTIONS;
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        return newFactory(config, ConnectionSettings.of(config));
    }

    /** Creates a factory over connections of our own to the endpoint of a configuration. */
    static DistributedLockFactory newFactory(LockConfig config, ConnectionSettings connections) {
        Settings settings = Settings.of(config);
        Environment env = Environment.system();
        return SetnxGetsetProtocol.newFactory(
                RedisNodes.open(settings.library(), config, connections, env), settings, config, env);
    }
}
