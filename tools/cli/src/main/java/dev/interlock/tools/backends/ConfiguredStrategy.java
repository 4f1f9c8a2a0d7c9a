// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A strategy with values of some of its options.
 *
 * @param provider the strategy
 * @param options the options that are not left at their defaults, by name
 */
public record ConfiguredStrategy(LockStrategyProvider provider, Map<String, String> options) {
    private static final String CLIENT = "client";
    /**
     * The clients that are tried: the default one and the other library. Further ones are tried only if the user names
     * them.
     */
    private static final List<String> CLIENTS = List.of("interlock", "lettuce");

    /**
     * Returns a strategy with the given options, except those that it does not know.
     *
     * @param provider the strategy
     * @param options the options, by name
     * @return the candidate
     */
    public static ConfiguredStrategy of(LockStrategyProvider provider, Map<String, String> options) {
        Map<String, String> known = new LinkedHashMap<>();
        for (StrategyOption option : provider.options()) {
            if (options.containsKey(option.name())) {
                known.put(option.name(), options.get(option.name()));
            }
        }
        return new ConfiguredStrategy(provider, known);
    }

    /**
     * Returns the strategy over each of the client libraries between which it has the choice.
     *
     * @return a candidate for each client, or this one where there is no choice
     */
    public List<ConfiguredStrategy> overEachClient() {
        List<String> choice = provider.options().stream()
                .filter(option -> option.name().equals(CLIENT))
                .flatMap(option -> CLIENTS.stream().filter(option.description()::contains))
                .toList();
        if (options.containsKey(CLIENT) || choice.size() < 2) {
            return List.of(this);
        }
        List<ConfiguredStrategy> candidates = new ArrayList<>();
        for (String client : choice) {
            Map<String, String> more = new LinkedHashMap<>();
            more.put(CLIENT, client);
            more.putAll(options);
            candidates.add(new ConfiguredStrategy(provider, more));
        }
        return candidates;
    }

    /** Returns the options with which the strategy runs: those that all tools set, and those that were chosen. */
    public Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>(trialOptions(provider));
        settings.putAll(options);
        return settings;
    }

    /**
     * Returns the options with which the kit, the measurements and the fault lab run a strategy. With them it works on
     * servers that have just been started, and on a busy machine.
     *
     * @param provider the strategy
     * @return the options that are not left at their defaults, by name
     */
    public static Map<String, String> trialOptions(LockStrategyProvider provider) {
        Map<String, String> options = new TreeMap<>();
        provider.options().forEach(option -> option.trialValue().ifPresent(value -> options.put(option.name(), value)));
        return options;
    }

    /** Returns all options of the strategy with their values, defaults included. */
    public Map<String, String> effectiveOptions() {
        return effectiveOptions(provider, settings());
    }

    /** Returns all options of a strategy with their values, where some are set and the others have their defaults. */
    public static Map<String, String> effectiveOptions(LockStrategyProvider provider, Map<String, String> set) {
        Map<String, String> effective = new TreeMap<>();
        provider.options().forEach(option -> effective.put(option.name(), option.defaultValue()));
        effective.putAll(set);
        return effective;
    }

    /** Returns the name of the strategy and the options that were chosen. */
    public String label() {
        return provider.name() + (options.isEmpty() ? "" : " (" + String.join(", ", options.values()) + ")");
    }

    /** Opens a client, which the caller must close. */
    public DistributedLockFactory open(List<URI> servers) {
        return DistributedLocks.getInstance(
                provider, configure(LockConfig.builder().endpoints(servers)));
    }

    public LockConfig configure(LockConfig.Builder config) {
        settings().forEach(config::option);
        return config.build();
    }
}
