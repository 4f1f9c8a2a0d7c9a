// SPDX-License-Identifier: Apache-2.0
package com.example.locks;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.util.EnumSet;
import java.util.List;

/** Provides the strategy {@code plain-set}: one key on one Redis server, for which waiters poll. */
public final class PlainSetStrategyProvider implements LockStrategyProvider {
    private static final StrategyProfile PROFILE = new StrategyProfile(
            "One Redis server: SET NX PX, without fencing tokens; waiters poll",
            "see how a strategy is written",
            ServerNeeds.ONE,
            EnumSet.of(Capability.REENTRANT, Capability.AUTO_RENEWAL, Capability.SAFE_RELEASE),
            EnumSet.of(
                    Assumption.SERVER_CLOCK_STEADY,
                    Assumption.BOUNDED_CLOCK_RATES,
                    Assumption.NO_FAILOVER,
                    Assumption.NO_EVICTION,
                    Assumption.RESTART_KEEPS_DATA));

    @Override
    public String name() {
        return "plain-set";
    }

    @Override
    public StrategyProfile profile() {
        return PROFILE;
    }

    @Override
    public List<StrategyOption> options() {
        return List.of();
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        Environment env = Environment.system();
        RedisNode node = RedisNodes.jedis(RedisNodes.onlyEndpoint(name(), config), config, env);
        return LockEngine.newFactory(name(), PROFILE, new PlainSetProtocol(node, config), config, env);
    }
}
