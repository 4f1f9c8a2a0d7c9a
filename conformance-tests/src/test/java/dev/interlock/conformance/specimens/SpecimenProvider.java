// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.specimens;

import dev.interlock.Assumption;
import dev.interlock.Capability;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockStrategyProvider;
import dev.interlock.StrategyOption;
import dev.interlock.StrategyProfile;
import dev.interlock.engine.Environment;
import dev.interlock.engine.LockEngine;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.RedisNodes;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A lock that a source document describes as broken, on a real server, promising what its users would expect of it. */
public abstract class SpecimenProvider implements LockStrategyProvider {
    private static final StrategyProfile PROFILE = new StrategyProfile(
            "a specimen that is known to be broken",
            EnumSet.of(Capability.REENTRANT, Capability.AUTO_RENEWAL, Capability.SAFE_RELEASE),
            Set.of());

    private final String name;
    private final Making making;

    interface Making {
        SpecimenProtocol on(RedisNode node, LockKeys keys, Duration timeout);
    }

    SpecimenProvider(String name, Making making) {
        this.name = name;
        this.making = making;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final StrategyProfile profile() {
        return PROFILE;
    }

    @Override
    public final List<StrategyOption> options() {
        return List.of();
    }

    @Override
    public final DistributedLockFactory newFactory(LockConfig config) {
        RedisNode node = RedisNodes.jedis(config.endpoints().get(0), config, Environment.system());
        return LockEngine.newFactory(
                name,
                PROFILE,
                making.on(node, new LockKeys(config.keyPrefix()), config.commandTimeout()),
                config,
                Environment.system());
    }
}
