// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.endpoint.RedisTopology;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The servers that a tool uses.
 *
 * @param named those that the user named; embedded ones are started if there are none
 */
public record Servers(List<URI> named) {
    /**
     * Returns endpoints for a strategy whose factory is made and not used.
     *
     * @param provider the strategy
     * @return as many endpoints as it is meant to run on; nobody listens there
     */
    public static List<URI> imaginary(LockStrategyProvider provider) {
        return IntStream.rangeClosed(1, provider.profile().servers().usual())
                .mapToObj(port -> URI.create("redis://127.0.0.1:" + port))
                .toList();
    }

    /**
     * Fails unless the endpoints that the user named are valid and fit together.
     *
     * @throws IllegalArgumentException if they cannot; the message says what to write instead
     */
    public void requireUnderstood() {
        if (DataServers.belongTogether(named)) {
            RedisTopology.of(named);
        } else {
            named.forEach(RedisEndpoint::of);
        }
    }

    /** Fails unless each server that the user named answers, or those do to which a cluster or sentinels lead. */
    public void requireReachable() {
        if (!named.isEmpty()) {
            DataServers.of(named).all().forEach(server -> new PlainClient(server).close());
        }
    }

    /**
     * Returns the keys that fit a pattern, on all servers that the user named, or to which a cluster or sentinels lead.
     * Of several that the user named, some may not answer.
     *
     * @param pattern the pattern, as {@code SCAN} takes one
     * @param type the type of the keys; empty for all
     * @param warnings told which servers do not answer
     * @throws ToolException if none answers
     */
    public Set<String> keys(String pattern, Optional<String> type, Consumer<String> warnings) {
        Set<String> keys = new TreeSet<>();
        List<RedisEndpoint> all = DataServers.of(named).all();
        List<ToolException> failures = new ArrayList<>();
        for (RedisEndpoint server : all) {
            try (PlainClient client = new PlainClient(server)) {
                keys.addAll(client.keys(pattern, type));
            } catch (ToolException e) {
                failures.add(e);
                if (DataServers.belongTogether(named) || failures.size() == all.size()) {
                    throw e;
                }
            }
        }
        failures.forEach(failure -> warnings.accept(Messages.of(failure)));
        return keys;
    }

    /**
     * Tells how the servers that the user named are related.
     *
     * @return independent if several of them are primaries; one if they replicate each other, or are a cluster or
     *     sentinels; empty if there is one, or too few answer to say
     */
    public Optional<ServerNeeds.Relation> relation() {
        if (DataServers.belongTogether(named)) {
            return Optional.of(ServerNeeds.ONE.relation());
        }
        if (named.size() == 1) {
            return Optional.empty();
        }
        int primaries = 0;
        for (RedisEndpoint server : DataServers.of(named).all()) {
            try (PlainClient client = new PlainClient(server)) {
                if (!client.isPrimary()) {
                    return Optional.of(ServerNeeds.ONE.relation());
                }
                primaries++;
            } catch (ToolException e) {
                // The servers that answer decide.
            }
        }
        return primaries > 1 ? Optional.of(ServerNeeds.Relation.INDEPENDENT) : Optional.empty();
    }

    /**
     * Returns why a strategy cannot run on the servers that the user named.
     *
     * @return the reason in words that follow the name of the strategy, or empty if there is none
     */
    public Optional<String> objection(LockStrategyProvider provider) {
        if (!DataServers.belongTogether(named)) {
            return Optional.empty();
        }
        ServerNeeds needs = provider.profile().servers();
        if (needs.relation() == ServerNeeds.Relation.INDEPENDENT) {
            return Optional.of("it runs on " + needs.summary() + ", and those that --redis names belong together");
        }
        // A factory sends no request before the first acquisition, so servers that do not exist will do.
        try {
            new ConfiguredStrategy(provider, Map.of()).open(named).close();
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(Messages.withoutPasswords(String.valueOf(e.getMessage())));
        }
    }

    /**
     * Returns how many servers a strategy gets: as many as it is meant to run on, or its minimum if the user named
     * fewer.
     */
    private int count(LockStrategyProvider provider) {
        ServerNeeds needs = provider.profile().servers();
        return named.isEmpty() || named.size() >= needs.usual() ? needs.usual() : needs.minimum();
    }

    /** Servers for measurements. */
    public Backend backend(LockStrategyProvider provider) {
        if (DataServers.belongTogether(named)) {
            return new ExternalBackend(named);
        }
        int needed = count(provider);
        return named.isEmpty() ? EmbeddedBackend.start(needed) : new ExternalBackend(named, needed);
    }

    /**
     * Returns servers for one rule of the contract, which may make them fail. Servers that the user named are not
     * harmed: a proxy in front of them causes the faults.
     */
    public LockHarness harness(ConfiguredStrategy candidate) {
        if (DataServers.belongTogether(named)) {
            return new DirectHarness(candidate, text(named));
        }
        int needed = count(candidate.provider());
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
