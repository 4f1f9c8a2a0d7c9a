// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import dev.interlock.DistributedLocks;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** All candidates. */
public final class Candidates {
    /** The candidate with which the others are compared. */
    public static final String REDISSON = "redisson-rlock";

    /** The candidate with which hand-offs are compared. */
    public static final String TOKEN_LIST = "raw-blpop";

    /** The candidate with which locks over several servers are compared. */
    public static final String REDISSON_REDLOCK = "redisson-redlock";

    private static final Pattern WITH_OPTIONS = Pattern.compile("(?<base>[^=]+?)(?<options>(/[^/=]+=[^/]*)+)");

    private static final int REDLOCK_SERVERS = 5;
    private static final String CLIENT = "client";
    private static final String POOLING_CLIENT = "jedis";
    private static final String FENCING = "fencing";
    private static final String WAKEUP = "wakeup";
    private static final String WIRE = "wire";

    /** The topologies that do not suit a lock over several independent servers. */
    private static final Map<Topology, String> INDEPENDENT = Stream.of(Topology.SENTINELS, Topology.CLUSTER)
            .collect(Collectors.toUnmodifiableMap(
                    topology -> topology,
                    topology ->
                            "it is a lock over " + REDLOCK_SERVERS + " servers that are independent of each other"));

    private Candidates() {}

    public static List<Candidate> all() {
        List<Candidate> all = new ArrayList<>();
        DistributedLocks.strategies().forEach(provider -> all.addAll(of(provider)));
        all.add(raw("raw-jedis", Candidate.Kind.RAW, new JedisOpener(), "jedis"));
        all.add(raw("raw-lettuce", Candidate.Kind.RAW, new LettuceOpener(), "lettuce-core"));
        all.add(raw(TOKEN_LIST, Candidate.Kind.TOKEN, new TokenListOpener(), "jedis"));
        all.add(redisson(REDISSON, RedissonOpener.RLOCK, 1));
        all.add(redisson("redisson-rfencedlock", RedissonOpener.FENCED, 1));
        all.add(redisson("redisson-rspinlock", RedissonOpener.SPIN, 1));
        all.add(redisson(REDISSON_REDLOCK, RedissonOpener.REDLOCK, REDLOCK_SERVERS));
        all.add(spring("spring-spin", RedisLockType.SPIN_LOCK));
        all.add(spring("spring-pubsub", RedisLockType.PUB_SUB_LOCK));
        return List.copyOf(all);
    }

    /**
     * Returns all candidates, and those among the names that are one of them with further options of its strategy, such
     * as {@code set-nx-px/interlock/shared-connections=4}.
     */
    public static List<Candidate> allAnd(Collection<String> names) {
        List<Candidate> all = new ArrayList<>(all());
        Set<String> known = all.stream().map(Candidate::name).collect(Collectors.toSet());
        names.stream()
                .filter(name -> !known.contains(name))
                .distinct()
                .flatMap(name -> withOptions(name).stream())
                .forEach(all::add);
        return all;
    }

    private static Optional<Candidate> withOptions(String name) {
        Matcher parts = WITH_OPTIONS.matcher(name);
        return Optional.of(parts)
                .filter(Matcher::matches)
                .flatMap(found -> all().stream()
                        .filter(candidate -> candidate.name().equals(found.group("base")))
                        .findFirst()
                        .flatMap(base ->
                                withOptions(base, name, found.group("options").substring(1))));
    }

    private static Optional<Candidate> withOptions(Candidate base, String name, String settings) {
        Map<String, String> options = new LinkedHashMap<>(base.options());
        for (String setting : settings.split("/", -1)) {
            String[] optionAndValue = setting.split("=", 2);
            if (DistributedLocks.strategies().stream()
                    .filter(provider -> provider.name().equals(base.options().get(InterlockOpener.STRATEGY)))
                    .noneMatch(provider -> knows(provider, optionAndValue[0]))) {
                return Optional.empty();
            }
            options.put(optionAndValue[0], optionAndValue[1]);
        }
        return Optional.of(new Candidate(
                name, base.kind(), base.servers(), base.opener(), options, base.artifacts(), base.objections()));
    }

    /** Returns a strategy over each of its client libraries, and with other options that affect its speed. */
    private static List<Candidate> of(LockStrategyProvider provider) {
        List<Candidate> candidates = new ArrayList<>();
        for (ConfiguredStrategy each : overEachClient(provider)) {
            candidates.add(ours(provider, each.options(), Map.of()));
            if (knows(provider, FENCING)) {
                candidates.add(ours(provider, each.options(), Map.of(FENCING, "false")));
            }
            if (knows(provider, WAKEUP)) {
                candidates.add(ours(provider, each.options(), Map.of(WAKEUP, "pubsub")));
            }
            candidates.add(ours(provider, each.options(), Map.of(InterlockOpener.LOCAL_HANDOFFS, "0")));
        }
        if (knows(provider, WIRE)) {
            // The format of the key makes the same difference over each client.
            candidates.add(ours(provider, overEachClient(provider).get(0).options(), Map.of(WIRE, "plain")));
        }
        return candidates;
    }

    private static List<ConfiguredStrategy> overEachClient(LockStrategyProvider provider) {
        List<ConfiguredStrategy> all =
                new ArrayList<>(ConfiguredStrategy.of(provider, Map.of()).overEachClient());
        boolean pools = provider.options().stream()
                .anyMatch(option ->
                        option.name().equals(CLIENT) && option.description().contains(POOLING_CLIENT));
        if (pools) {
            all.add(ConfiguredStrategy.of(provider, Map.of(CLIENT, POOLING_CLIENT)));
        }
        return all;
    }

    private static boolean knows(LockStrategyProvider provider, String option) {
        return provider.options().stream().map(StrategyOption::name).anyMatch(option::equals);
    }

    private static Candidate ours(LockStrategyProvider provider, Map<String, String> client, Map<String, String> more) {
        Map<String, String> options = new LinkedHashMap<>(Map.of(InterlockOpener.STRATEGY, provider.name()));
        options.putAll(ConfiguredStrategy.trialOptions(provider));
        options.putAll(client);
        options.putAll(more);
        StringBuilder name = new StringBuilder(provider.name());
        client.values().forEach(value -> name.append("/").append(value));
        more.forEach(
                (option, value) -> name.append("/").append(option).append("=").append(value));
        List<String> artifacts = new ArrayList<>(List.of("interlock-strategy-" + provider.name()));
        if ("lettuce".equals(client.get(CLIENT))) {
            artifacts.add("lettuce-core");
        }
        return new Candidate(
                name.toString(),
                Candidate.Kind.OURS,
                provider.profile().servers().usual(),
                new InterlockOpener(),
                options,
                artifacts,
                objections(provider));
    }

    private static Map<Topology, String> objections(LockStrategyProvider provider) {
        Map<Topology, String> objections = new EnumMap<>(Topology.class);
        for (Topology topology : Topology.values()) {
            topology.objection(provider).ifPresent(why -> objections.put(topology, why));
        }
        return objections;
    }

    private static Candidate raw(String name, Candidate.Kind kind, Opener opener, String artifact) {
        return new Candidate(name, kind, 1, opener, Map.of(), List.of(artifact), Map.of());
    }

    private static Candidate redisson(String name, String kind, int servers) {
        return new Candidate(
                name,
                Candidate.Kind.PEER,
                servers,
                new RedissonOpener(),
                Map.of(RedissonOpener.KIND, kind),
                List.of("redisson"),
                servers == 1 ? Map.of() : INDEPENDENT);
    }

    private static Candidate spring(String name, RedisLockType type) {
        return new Candidate(
                name,
                Candidate.Kind.PEER,
                1,
                new SpringOpener(),
                Map.of(SpringOpener.TYPE, type.name()),
                List.of("spring-integration-redis", "lettuce-core"),
                Map.of());
    }
}
