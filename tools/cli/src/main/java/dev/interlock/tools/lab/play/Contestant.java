// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.LockStrategyProvider;
import dev.interlock.StrategyProfile;
import dev.interlock.specimens.GetDelSetnxStrategyProvider;
import dev.interlock.specimens.SetbitGetbitStrategyProvider;
import dev.interlock.specimens.SetnxExpireStrategyProvider;
import dev.interlock.specimens.SetnxWatchStrategyProvider;
import dev.interlock.specimens.UncheckedDelStrategyProvider;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Servers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** The options for a lease in the lab: none of a strategy's defences is switched off. */
    public Map<String, String> options(Duration lease) {
        Map<String, String> options = new LinkedHashMap<>();
        if (candidate.provider().name().equals("redlock")) {
            options.put("max-lease", lease.toMillis() + "ms");
            options.put("node-timeout", lease.toMillis() / 10 + "ms");
        }
        options.putAll(candidate.options());
        return options;
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
