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
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Servers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Who goes through the fault lab.
 *
 * @param candidate a strategy with some of its options
 * @param specimen whether it is known to be broken, and is there as a warning
 */
public record Contestant(ConfiguredStrategy candidate, boolean specimen) {
    private static final String COLD_START = "cold-start";
    private static final String WAIT = "wait";
    private static final Map<String, Map<String, String>> OTHER_OPTIONS = Map.of(
            "set-nx-px", Map.of("wakeup", "poll", "client", "lettuce"),
            "setnx-getset", Map.of("clock", "server"),
            "redisson", Map.of("holds", "redis"),
            "redlock", Map.of("drift", "0.02", "node-timeout", "500ms"));

    /** The locks of the source documents that are wrong. */
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
        return Servers.neededBy(candidate.provider().name());
    }

    /**
     * Returns the installed strategies as they run everywhere, and redlock a second time as it is meant for production: there a
     * server that has started stands aside.
     */
    public static List<Contestant> installed(List<LockStrategyProvider> providers, Map<String, String> options) {
        List<Contestant> all = new ArrayList<>();
        for (LockStrategyProvider provider : providers) {
            all.add(new Contestant(ConfiguredStrategy.of(provider, options), false));
            if (provider.name().equals("redlock") && !options.containsKey(COLD_START)) {
                Map<String, String> more = new LinkedHashMap<>(options);
                more.put(COLD_START, WAIT);
                all.add(new Contestant(ConfiguredStrategy.of(provider, more), false));
            }
        }
        return all;
    }

    /** The options for a lease in the lab, by name. */
    Map<String, String> options(Duration lease) {
        Map<String, String> options = new TreeMap<>(candidate.settings());
        if (WAIT.equals(options.get(COLD_START))) {
            // For so long a server stands aside: one that waited for a minute would be out of the game.
            options.putIfAbsent("max-lease", lease.toMillis() + "ms");
        }
        return options;
    }

    /** Options that differ from the usual ones and that a rolling deploy may bring: those that clients need not agree on. */
    Map<String, String> otherOptions() {
        return OTHER_OPTIONS.getOrDefault(candidate.provider().name(), Map.of());
    }

    /** All options of the strategy in the lab, with their defaults. */
    public Map<String, String> effectiveOptions(Duration lease) {
        return ConfiguredStrategy.effectiveOptions(candidate.provider(), options(lease));
    }

    /** What the strategy promises and assumes with its options. */
    public StrategyProfile profile(Duration lease) {
        // Nobody is asked anything before the first lock is.
        String endpoints = IntStream.rangeClosed(1, servers())
                .mapToObj(port -> "redis://127.0.0.1:" + port)
                .collect(Collectors.joining(","));
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(endpoints)
                .lockDefaults(LockOptions.builder().lease(lease).build());
        options(lease).forEach(config::option);
        try (DistributedLockFactory factory = DistributedLocks.getInstance(candidate.provider(), config.build())) {
            return factory.profile();
        }
    }
}
