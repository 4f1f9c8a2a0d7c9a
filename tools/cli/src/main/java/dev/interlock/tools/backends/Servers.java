// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.conformance.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where servers come from.
 *
 * @param named those that the user named; embedded ones are started if there are none
 */
public record Servers(List<URI> named) {
    /**
     * Returns how many independent servers a strategy is made for.
     *
     * @param strategy the name of the strategy
     * @return the number of servers
     */
    public static int neededBy(String strategy) {
        return strategy.equals("redlock") ? 5 : 1;
    }

    /**
     * Returns the options with which the kit, the measurements and the faults run a strategy, all of them the same: it can use
     * servers that have just been started, on a machine that is busy with other things too.
     *
     * @param strategy the name of the strategy
     * @return the options that are not left at their defaults, by name
     */
    public static Map<String, String> optionsFor(String strategy) {
        return strategy.equals("redlock") ? Map.of("cold-start", "trust", "node-timeout", "2s") : Map.of();
    }

    /** Servers for measurements. */
    public Backend backend(String strategy) {
        int needed = neededBy(strategy);
        return named.isEmpty() ? EmbeddedBackend.start(needed) : new ExternalBackend(named, needed);
    }

    /** Servers for one rule of the contract, which may make them fail; those that the user named only seem to. */
    public LockHarness harness(ConfiguredStrategy candidate) {
        int needed = neededBy(candidate.provider().name());
        if (named.stream().anyMatch(uri -> RedisEndpoint.of(uri).tls())) {
            return new DirectHarness(candidate, text(named.subList(0, needed)));
        }
        RedisHarness.Builder harness = RedisHarness.of(candidate.provider()).servers(needed);
        candidate.settings().forEach(harness::option);
        return harness.open(named.isEmpty() ? RedisHarness.EMBEDDED : text(named));
    }

    private static String text(List<URI> servers) {
        return servers.stream().map(URI::toString).collect(Collectors.joining(","));
    }
}
