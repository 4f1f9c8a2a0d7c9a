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
     * @param name what the user calls it
     * @param title the heading of its table
     * @param metrics what it finds, the figure by which candidates are compared first
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

    /** Returns why this JVM cannot run it, if it cannot: what the scenario needs, and who has it. */
    public Optional<String> objection() {
        return Optional.empty();
    }

    /**
     * Measures a candidate once, on servers of its own, and leaves nothing behind.
     *
     * @param candidate the candidate, which runs on such servers
     * @param setting with which servers, and how far away they are
     * @param network what lies between them and the clients
     * @throws RuntimeException if there is no result
     */
    public final Figures measure(Candidate candidate, Setting setting, Network network) {
        try (Testbed stage = Testbed.open(candidate, setting, network)) {
            return measure(stage);
        }
    }

    /** Measures what is on a stage, which is cleared then. */
    abstract Figures measure(Testbed stage);

    @Override
    public final String toString() {
        return name;
    }
}
