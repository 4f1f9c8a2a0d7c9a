// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import java.util.Map;
import java.util.Optional;

/**
 * The figures of a candidate in one round of a scenario.
 *
 * @param values the figures
 * @param lostUpdates how many updates of what the lock guards were lost, because two held it at once
 * @param exception what the first of the exceptions says that were counted, if there were any
 */
public record Figures(Map<Metric, Double> values, long lostUpdates, Optional<String> exception) {
    public Figures(Map<Metric, Double> values, long lostUpdates) {
        this(values, lostUpdates, Optional.empty());
    }

    public double get(Metric metric) {
        return values.getOrDefault(metric, Double.NaN);
    }
}
