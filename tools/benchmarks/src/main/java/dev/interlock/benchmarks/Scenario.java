// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.util.List;
import java.util.function.Predicate;

/** One measurement of a candidate. */
abstract class Scenario {
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

    final String name() {
        return name;
    }

    final String title() {
        return title;
    }

    final List<Metric> metrics() {
        return metrics;
    }

    final boolean suits(Candidate candidate) {
        return suitable.test(candidate);
    }

    /**
     * Measures a candidate once, on servers of its own, and leaves nothing behind.
     *
     * @throws RuntimeException if there is no result
     */
    final Figures measure(Candidate candidate) {
        try (Stage stage = Stage.open(candidate)) {
            return measure(stage);
        }
    }

    /** Measures what is on a stage, which is cleared then. */
    abstract Figures measure(Stage stage);

    @Override
    public final String toString() {
        return name;
    }
}
