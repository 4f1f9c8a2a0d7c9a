// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.network.PingTimes;
import dev.interlock.benchmarks.network.Setting;
import dev.interlock.tools.backends.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options by which the user chooses the servers and the network. */
final class SettingOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--rtt",
            arity = "1..*",
            split = ",",
            paramLabel = "TIME",
            description =
                    "measures everything also with a network of this round trip, such as 0.2ms,1ms,5ms, through a proxy in front"
                            + " of each server; 0ms shows what the proxy itself takes; only without a proxy if left out")
    private List<String> roundTrips = new ArrayList<>();

    @Option(
            names = "--topology",
            arity = "1..*",
            split = ",",
            paramLabel = "NAME",
            description =
                    "how the servers belong together: single, sentinels (a primary with a replica and three sentinels), cluster"
                            + " (three primaries), or several of them; candidates that do not run there are left out;"
                            + " single if left out")
    private List<String> topologies = new ArrayList<>();

    /** Returns whether the user has given any of these options. */
    boolean areGiven() {
        return !roundTrips.isEmpty() || !topologies.isEmpty();
    }

    /** The settings, topology by topology: first without a proxy, then with each round trip. */
    List<Setting> settings() {
        List<@Nullable Duration> networks = new ArrayList<>();
        networks.add(null);
        networks.addAll(roundTrips());
        return topologies().stream()
                .flatMap(topology -> networks.stream().map(roundTrip -> new Setting(topology, roundTrip)))
                .toList();
    }

    /** The round trips that are asked for, each once. */
    List<Duration> roundTrips() {
        try {
            return roundTrips.stream().map(PingTimes::parse).distinct().toList();
        } catch (IllegalArgumentException e) {
            throw usage("--rtt: " + e.getMessage());
        }
    }

    private List<Topology> topologies() {
        List<String> names = Arrays.stream(Topology.values()).map(Topology::id).toList();
        for (String topology : topologies) {
            if (!names.contains(topology)) {
                throw usage("--topology: there is no \"" + topology + "\"; there are " + String.join(", ", names));
            }
        }
        return Arrays.stream(Topology.values())
                .filter(topology ->
                        topologies.isEmpty() ? topology == Topology.SINGLE_SERVERS : topologies.contains(topology.id()))
                .toList();
    }

    /**
     * Returns which candidates cannot be measured on which topology, in sentences.
     *
     * @throws ParameterException if a topology has none left
     */
    List<String> leftOut(List<Candidate> candidates) {
        List<String> sentences = new ArrayList<>();
        for (Topology topology : topologies()) {
            Map<String, String> byReason = candidates.stream()
                    .filter(candidate -> !candidate.runsOn(topology))
                    .collect(Collectors.groupingBy(
                            candidate -> Objects.requireNonNull(
                                    candidate.objections().get(topology)),
                            LinkedHashMap::new,
                            Collectors.mapping(Candidate::name, Collectors.joining(", "))));
            List<String> ofTopology = new ArrayList<>();
            byReason.forEach(
                    (why, names) -> ofTopology.add("Left out of " + topology.id() + ": " + names + " (" + why + ")."));
            if (candidates.stream().noneMatch(candidate -> candidate.runsOn(topology))) {
                throw usage("--topology: " + String.join(" ", ofTopology));
            }
            sentences.addAll(ofTopology);
        }
        return sentences;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
