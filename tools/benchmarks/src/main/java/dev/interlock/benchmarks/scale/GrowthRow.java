// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.tools.backends.Topology;
import java.time.Duration;
import java.util.Map;

/**
 * One measurement.
 *
 * @param candidate the candidate
 * @param options its options, those that have their defaults too
 * @param topology how the servers belong together
 * @param primaries how many servers carry out commands about locks
 * @param load the load that grows
 * @param size the size of the load
 * @param lease the lease of all locks
 * @param values the figures that were measured
 */
record GrowthRow(
        String candidate,
        String options,
        Topology topology,
        int primaries,
        GrowthLoad load,
        int size,
        Duration lease,
        Map<GrowthMetric, Double> values) {
    GrowthRow {
        values = Map.copyOf(values);
    }

    /** Returns the same row with other figures. */
    GrowthRow with(Map<GrowthMetric, Double> figures) {
        return new GrowthRow(candidate, options, topology, primaries, load, size, lease, figures);
    }

    /** Returns whether another row measures the same candidate, options, servers, load, size and lease. */
    boolean isSameAs(GrowthRow other) {
        return with(Map.of()).equals(other.with(Map.of()));
    }

    /** Returns a figure; not a number if it was not measured. */
    double get(GrowthMetric metric) {
        return values.getOrDefault(metric, Double.NaN);
    }
}
