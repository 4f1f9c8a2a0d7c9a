// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.specimens.GetDelSetnxStrategyProvider;
import dev.interlock.specimens.SetbitGetbitStrategyProvider;
import dev.interlock.specimens.SetnxExpireStrategyProvider;
import dev.interlock.specimens.SetnxWatchStrategyProvider;
import dev.interlock.specimens.UncheckedDelStrategyProvider;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.peers.PeerProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A strategy that goes through the fault lab.
 *
 * @param candidate a strategy with some of its options
 * @param specimen whether it is known to be broken, and is shown as a warning
 */
public record Contestant(ConfiguredStrategy candidate, boolean specimen) {
    private static final String COLD_START = "cold-start";
    private static final String WAIT = "wait";
    /** The specimens: locks from well-known pages that are broken. */
    public static final List<Contestant> SPECIMENS = Stream.<LockStrategyProvider>of(
                    new SetbitGetbitStrategyProvider(),
                    new SetnxExpireStrategyProvider(),
                    new GetDelSetnxStrategyProvider(),
                    new UncheckedDelStrategyProvider(),
                    new SetnxWatchStrategyProvider())
            .map(provider -> new Contestant(new ConfiguredStrategy(provider, Map.of()), true))
            .toList();

    public String label() {
        return candidate.label();
    }

    int servers() {
        return candidate.provider().profile().servers().usual();
    }

    /**
     * Returns the installed strategies with the options that all tools set. A strategy whose profile is another one
     * with its default options comes a second time, with those defaults, as it is meant for production.
     */
    public static List<Contestant> installed(List<LockStrategyProvider> providers, Map<String, String> options) {
        List<Contestant> all = new ArrayList<>();
        for (LockStrategyProvider provider : providers) {
            Contestant usual = new Contestant(ConfiguredStrategy.of(provider, options), false);
            all.add(usual);
            Map<String, String> more = new LinkedHashMap<>(options);
            for (StrategyOption option : provider.options()) {
                if (option.trialValue().isPresent() && !options.containsKey(option.name())) {
                    Map<String, String> one = new LinkedHashMap<>(options);
                    one.put(option.name(), option.defaultValue());
                    if (!usual.promisesTheSameAs(new Contestant(ConfiguredStrategy.of(provider, one), false))) {
                        more.put(option.name(), option.defaultValue());
                    }
                }
            }
            if (!more.equals(options)) {
                all.add(new Contestant(ConfiguredStrategy.of(provider, more), false));
            }
        }
        return all;
    }

    /**
     * Returns the strategies that have a choice of client libraries, over each library that is not their default: for
     * faults in which the client has to find other servers.
     */
    public static List<Contestant> overOtherClients(List<LockStrategyProvider> providers) {
        return providers.stream()
                .flatMap(provider -> ConfiguredStrategy.of(provider, Map.of()).overEachClient().stream())
                .filter(candidate -> candidate.provider().options().stream()
                        .anyMatch(option -> candidate.options().containsKey(option.name())
                                && !candidate.options().get(option.name()).equals(option.defaultValue())))
                .map(candidate -> new Contestant(candidate, false))
                .toList();
    }

    private boolean promisesTheSameAs(Contestant other) {
        Duration lease = LockOptions.defaults().lease();
        return profile(lease).equals(other.profile(lease));
    }

    /** Returns locks of other libraries. */
    public static List<Contestant> peers(List<PeerProvider> peers) {
        return peers.stream()
                .map(peer -> new Contestant(new ConfiguredStrategy(peer, Map.of()), false))
                .toList();
    }

    /** Returns whether it is the lock of another library. */
    public boolean isPeer() {
        return candidate.provider() instanceof PeerProvider;
    }

    /** The options for a lease in the lab, by name. */
    Map<String, String> options(Duration lease) {
        Map<String, String> options = new TreeMap<>(candidate.settings());
        if (WAIT.equals(options.get(COLD_START))) {
            // A server stands aside for this time after a restart. With the default of a minute it would not vote again
            // within a cell.
            options.putIfAbsent("max-lease", lease.toMillis() + "ms");
        }
        return options;
    }

    /**
     * Returns other values of the options in which clients need not agree, as they occur in a rolling deployment.
     */
    Map<String, String> otherOptions() {
        Map<String, String> others = new TreeMap<>();
        candidate
                .provider()
                .options()
                .forEach(option -> option.mixedValue().ifPresent(value -> others.put(option.name(), value)));
        return others;
    }

    /** The time-out of commands in the lab: a command that takes longer leaves no time for another one. */
    static Duration commandTimeout(Duration lease) {
        return lease.dividedBy(2);
    }

    /** All options of the strategy in the lab, with their defaults. */
    public Map<String, String> effectiveOptions(Duration lease) {
        if (candidate.provider() instanceof PeerProvider peer) {
            return peer.configuration(LockConfig.builder()
                    .endpoints(Servers.imaginary(peer))
                    .commandTimeout(commandTimeout(lease))
                    .lockDefaults(LockOptions.builder().lease(lease).build())
                    .build());
        }
        return ConfiguredStrategy.effectiveOptions(candidate.provider(), options(lease));
    }

    /** Returns the profile of the strategy with its options. */
    public StrategyProfile profile(Duration lease) {
        // A factory sends no request before the first acquisition.
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(Servers.imaginary(candidate.provider()))
                .lockDefaults(LockOptions.builder().lease(lease).build());
        options(lease).forEach(config::option);
        try (DistributedLockFactory factory = DistributedLocks.getInstance(candidate.provider(), config.build())) {
            return factory.profile();
        }
    }
}
