// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.EnumSet;
import java.util.List;

/**
 * Provides the strategy {@code set-nx-px}. Found by {@link java.util.ServiceLoader}; programs that already have a
 * client use {@link SetNxPxLocks}. Safe to use from any thread.
 */
public final class SetNxPxStrategyProvider implements LockStrategyProvider {
    static final String NAME = "set-nx-px";

    static final StrategyProfile PROFILE = new StrategyProfile(
            "One Redis server: SET NX PX under a random token, which every renewal and release compares",
            "lock at the least cost, with fencing tokens and waiters in the order of their arrival",
            ServerNeeds.ONE,
            EnumSet.of(
                    Capability.REENTRANT,
                    Capability.AUTO_RENEWAL,
                    Capability.FENCING,
                    Capability.PUSH_WAKEUP,
                    Capability.FAIR,
                    Capability.SAFE_RELEASE,
                    Capability.CONDITIONS,
                    Capability.READ_WRITE,
                    Capability.READ_WRITE_FAIR,
                    Capability.READ_WRITE_APART,
                    Capability.SEVERAL_NAMES),
            EnumSet.of(
                    Assumption.SERVER_CLOCK_STEADY,
                    Assumption.BOUNDED_CLOCK_RATES,
                    Assumption.NO_FAILOVER,
                    Assumption.NO_EVICTION,
                    Assumption.RESTART_KEEPS_DATA));

    /** Creates the provider. */
    public SetNxPxStrategyProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public StrategyProfile profile() {
        return PROFILE;
    }

    @Override
    public List<StrategyOption> options() {
        return Settings.OPTIONS;
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        return newFactory(config, ConnectionSettings.of(config));
    }

    /** Creates a factory over its own connections to the endpoint of a configuration. */
    static DistributedLockFactory newFactory(LockConfig config, ConnectionSettings connections) {
        Settings settings = Settings.of(config);
        Environment env = Environment.system();
        RedisNode node = RedisNodes.open(settings.library(), config, connections, env);
        return SetNxPxProtocol.newFactory(node, settings, config, env);
    }
}
