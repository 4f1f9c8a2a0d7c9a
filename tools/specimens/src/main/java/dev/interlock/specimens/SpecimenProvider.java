// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A lock on a real server that is known to be broken. Its profile declares what its users would expect. */
public abstract class SpecimenProvider implements LockStrategyProvider {
    private final String name;
    private final Making making;
    private final StrategyProfile profile;

    interface Making {
        SpecimenProtocol on(RedisNode node, LockKeys keys, Duration timeout);
    }

    SpecimenProvider(String name, Making making, Capability... more) {
        this.name = name;
        this.making = making;
        EnumSet<Capability> capabilities =
                EnumSet.of(Capability.REENTRANT, Capability.AUTO_RENEWAL, Capability.SAFE_RELEASE);
        capabilities.addAll(Arrays.asList(more));
        this.profile = new StrategyProfile("a specimen that is known to be broken", capabilities, Set.of());
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final StrategyProfile profile() {
        return profile;
    }

    @Override
    public final List<StrategyOption> options() {
        return List.of();
    }

    /** Changes the configuration that the engine gets from the kit. */
    LockConfig change(LockConfig config) {
        return config;
    }

    /** Wraps the factory that the kit gets from the engine. */
    DistributedLockFactory spoil(DistributedLockFactory correct) {
        return correct;
    }

    /** Wraps the factory that the kit gets from the engine in one that also sends commands of its own. */
    DistributedLockFactory spoil(DistributedLockFactory correct, SpecimenProtocol protocol) {
        return spoil(correct);
    }

    @Override
    public final DistributedLockFactory newFactory(LockConfig config) {
        RedisNode node = RedisNodes.jedis(RedisEndpoint.of(config.endpoints().get(0)), config, Environment.system());
        SpecimenProtocol protocol = making.on(node, new LockKeys(config.keyPrefix()), config.commandTimeout());
        return spoil(LockEngine.newFactory(name, profile, protocol, change(config), Environment.system()), protocol);
    }
}
