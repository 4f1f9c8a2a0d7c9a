// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import java.util.Map;
import java.util.Optional;

/**
 * The figures of a candidate in one round of a scenario.
 *
 * @param values the figures
 * @param lostUpdates how many updates of the guarded number were lost, because two held the lock at once
 * @param exception the message of the first exception that was counted, if there was one
 */
public record Figures(Map<Metric, Double> values, long lostUpdates, Optional<String> exception) {
    public Figures(Map<Metric, Double> values, long lostUpdates) {
        this(values, lostUpdates, Optional.empty());
    }

    public double get(Metric metric) {
        return values.getOrDefault(metric, Double.NaN);
    }
}
