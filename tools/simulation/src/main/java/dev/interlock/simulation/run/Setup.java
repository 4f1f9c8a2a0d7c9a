// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.simulation.run.Strategies.Strategy;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;

/**
 * The subject of a simulation.
 *
 * @param strategy makes the locks
 * @param options the options of the strategy
 * @param profile what the strategy promises with these options
 * @param mutant what the server does in place of what it is sent
 */
record Setup(Strategy strategy, Map<String, String> options, StrategyProfile profile, Mutant mutant) {
    /** A strategy with its default options. */
    static Setup of(String strategy) {
        return of(Objects.requireNonNull(Strategies.ALL.get(strategy)), Map.of());
    }

    /**
     * A strategy with some options.
     *
     * @throws IllegalArgumentException if it does not take them
     */
    static Setup of(Strategy strategy, Map<String, String> options) {
        // Nothing is sent: only the profile is of interest.
        RedisNode none = (RedisNode) Proxy.newProxyInstance(
                RedisNode.class.getClassLoader(),
                new Class<?>[] {RedisNode.class},
                (proxy, method, args) ->
                        method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, args) : null);
        LockConfig.Builder config = LockConfig.builder();
        options.forEach(config::option);
        try (DistributedLockFactory factory = strategy.newFactory(none, config.build(), Environment.system())) {
            return new Setup(strategy, options, factory.profile(), Mutant.NONE);
        }
    }

    Setup with(Mutant other) {
        return new Setup(strategy, options, profile, other);
    }

    boolean isFenced() {
        return profile.supports(Capability.FENCING);
    }

    boolean wakes() {
        return profile.supports(Capability.PUSH_WAKEUP);
    }

    boolean assumes(Assumption assumption) {
        return profile.assumptions().contains(assumption);
    }

    /**
     * Returns whether what is in the key of a lock tells if it is held. Where no clock does, only those who have waited
     * know.
     */
    boolean keysTell() {
        return assumes(Assumption.SERVER_CLOCK_STEADY) || assumes(Assumption.CLIENT_CLOCKS_AGREE);
    }
}
