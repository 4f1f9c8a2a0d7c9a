// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.network.Network;
import dev.interlock.benchmarks.network.Setting;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** One measurement of a candidate. */
public abstract class Scenario {
    private final String name;
    private final String title;
    private final List<Metric> metrics;
    private final Predicate<Candidate> suitable;

    /**
     * Creates a scenario.
     *
     * @param name its name for the user
     * @param title the heading of its table
     * @param metrics the figures that it measures; candidates are compared by the first one
     * @param suitable whether it makes sense for a candidate
     */
    Scenario(String name, String title, List<Metric> metrics, Predicate<Candidate> suitable) {
        this.name = name;
        this.title = title;
        this.metrics = metrics;
        this.suitable = suitable;
    }

    public final String name() {
        return name;
    }

    public final String title() {
        return title;
    }

    public final List<Metric> metrics() {
        return metrics;
    }

    public final boolean suits(Candidate candidate) {
        return suitable.test(candidate);
    }

    /** Returns why this JVM cannot run the scenario, if it cannot, with the JVM that is needed. */
    public Optional<String> objection() {
        return Optional.empty();
    }

    /**
     * Measures a candidate once, on servers of its own, and leaves nothing behind.
     *
     * @param candidate the candidate, which runs on such servers
     * @param setting the servers and the network
     * @param network starts the servers and connects the clients to them
     * @throws RuntimeException if there is no result
     */
    public final Figures measure(Candidate candidate, Setting setting, Network network) {
        try (Testbed stage = Testbed.open(candidate, setting, network)) {
            return measure(stage);
        }
    }

    /** Measures the candidate of a testbed, which is closed afterwards. */
    abstract Figures measure(Testbed stage);

    @Override
    public final String toString() {
        return name;
    }
}
