// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import java.util.Map;

/**
 * What one round of a scenario has found of a candidate.
 *
 * @param values the figures
 * @param lostUpdates how many updates of what the lock guards were lost, because two held it at once
 */
public record Figures(Map<Metric, Double> values, long lostUpdates) {
    public double get(Metric metric) {
        return values.getOrDefault(metric, Double.NaN);
    }
}
