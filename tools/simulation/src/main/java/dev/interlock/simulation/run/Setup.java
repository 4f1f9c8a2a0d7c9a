// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.simulation.mutants.Mutant;
import dev.interlock.simulation.run.Strategies.Strategy;
import dev.interlock.simulation.server.ScriptCoverage;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The subject of a simulation.
 *
 * @param strategy the strategy
 * @param options the options of the strategy
 * @param profile what the strategy promises with these options
 * @param mutant what the server does in place of what it is sent
 * @param coverage told which lines of scripts have run; {@code null} if nobody asks
 */
record Setup(
        Strategy strategy,
        Map<String, String> options,
        StrategyProfile profile,
        Mutant mutant,
        @Nullable ScriptCoverage coverage) {
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
        List<String> servers = ServerGroup.names(strategy.servers(0));
        try (DistributedLockFactory factory =
                strategy.newFactory(servers, name -> none, config.build(), Environment.system())) {
            return new Setup(strategy, options, factory.profile(), Mutant.NONE, null);
        }
    }

    Setup with(Mutant other) {
        return new Setup(strategy, options, profile, other, coverage);
    }

    Setup with(ScriptCoverage told) {
        return new Setup(strategy, options, profile, mutant, told);
    }

    /** The text of each resource that the scripts are made of. */
    Map<String, String> scripts() {
        Map<String, String> texts = new TreeMap<>();
        for (String resource : strategy.scripts()) {
            try (InputStream in = Setup.class.getResourceAsStream("/" + resource)) {
                texts.put(
                        resource.replaceFirst("^dev/interlock/", ""),
                        new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + resource, e);
            }
        }
        return texts;
    }

    boolean isFenced() {
        return profile.supports(Capability.FENCING);
    }

    boolean wakes() {
        return profile.supports(Capability.PUSH_WAKEUP);
    }

    /** Returns whether no two holders write the same value to a lock's key. */
    boolean keysTellApart() {
        return profile.supports(Capability.SAFE_RELEASE);
    }

    boolean assumes(Assumption assumption) {
        return profile.assumptions().contains(assumption);
    }

    /**
     * Returns whether the value of a lock's key shows if the lock is held. It does not where a timestamp counts only
     * after a client has observed it.
     */
    boolean keysTell() {
        return assumes(Assumption.SERVER_CLOCK_STEADY) || assumes(Assumption.CLIENT_CLOCKS_AGREE);
    }
}
