// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.tools.backends.Topology;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The cost of a unit of each load. It is taken from one small row of each load, so that the larger rows test the model.
 * All rows are of one candidate and one topology.
 */
final class UnitCosts {
    /** The least size of each load at which the cost of a unit stands out from noise. */
    private static final Map<GrowthLoad, Integer> BASIS_SIZES = Map.of(
            GrowthLoad.HELD, 10_000,
            GrowthLoad.WAITERS_OWN_NAMES, 1_000,
            GrowthLoad.WAITERS_ONE_NAME, 1_000,
            GrowthLoad.CLIENTS_OWN_NAMES, 4,
            GrowthLoad.CLIENTS_ONE_NAME, 4);

    private final Map<GrowthLoad, GrowthRow> bases = new EnumMap<>(GrowthLoad.class);
    private final GrowthRow any;

    private UnitCosts(List<GrowthRow> rows) {
        any = rows.get(0);
        for (GrowthLoad load : GrowthLoad.values()) {
            List<GrowthRow> ofLoad = rows.stream()
                    .filter(row -> row.load() == load)
                    .sorted(Comparator.comparingInt(GrowthRow::size))
                    .toList();
            ofLoad.stream()
                    .filter(row -> row.size() >= BASIS_SIZES.getOrDefault(load, 1))
                    .findFirst()
                    .or(() -> ofLoad.stream().reduce((smaller, larger) -> larger))
                    .ifPresent(row -> bases.put(load, row));
        }
    }

    /** Takes costs from the rows of one candidate and topology, at least one. */
    static UnitCosts of(List<GrowthRow> rows) {
        return new UnitCosts(rows);
    }

    /** Returns whether costs are taken from a row. */
    boolean isBasis(GrowthRow row) {
        return row.equals(bases.get(row.load()));
    }

    /**
     * Returns a figure of the row from which the costs of a load are taken; NaN if the load was not measured.
     */
    double get(GrowthLoad load, GrowthMetric metric) {
        GrowthRow basis = bases.get(load);
        return basis == null ? Double.NaN : basis.get(metric);
    }

    String candidate() {
        return any.candidate();
    }

    /** Returns the lease with which the costs were measured, those of renewal alone apart. */
    Duration lease() {
        return any.lease();
    }

    Topology topology() {
        return any.topology();
    }

    /** Returns how many servers carried out commands about locks when the costs were measured. */
    int primaries() {
        return any.primaries();
    }
}
