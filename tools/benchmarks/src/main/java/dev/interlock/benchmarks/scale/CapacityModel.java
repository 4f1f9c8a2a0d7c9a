// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Predicts from unit costs the figures of a row, and the load that a number of servers can carry. All costs grow in
 * proportion to the load, and names are spread over primaries at random.
 */
final class CapacityModel {
    private static final String CPU = "server CPU";
    private static final String MEMORY = "server memory";
    private static final double MICROS = 1e6;
    private static final double SECONDS_PER_MINUTE = 60;

    private final UnitCosts costs;

    CapacityModel(UnitCosts costs) {
        this.costs = costs;
    }

    /**
     * A figure of a row, predicted and measured.
     *
     * @param metric the figure
     * @param predicted its value by the model
     * @param measured its value in the row
     */
    record Prediction(GrowthMetric metric, double predicted, double measured) {
        /** Returns the error of the model as a fraction of the measured figure; positive if the model is too high. */
        double error() {
            return predicted / measured - 1;
        }
    }

    /** Returns the model's predictions for a row; none for a row from which the unit costs are taken. */
    List<Prediction> predictions(GrowthRow row) {
        List<Prediction> predictions = new ArrayList<>();
        if (costs.isBasis(row)) {
            return predictions;
        }
        GrowthLoad load = row.load();
        double micros = switch (load) {
            case HELD -> row.size() * renewalsPerSecond(row.lease()) * cost(load, GrowthMetric.RENEWAL_MICROS);
            case WAITERS_OWN_NAMES -> row.size() * cost(load, GrowthMetric.WAITING_MICROS) / SECONDS_PER_MINUTE;
            // Only one thread of a client asks the server for a name, however many wait.
            case WAITERS_ONE_NAME -> cost(load, GrowthMetric.SERVER_CPU) / 100 * MICROS;
            case CLIENTS_OWN_NAMES -> row.get(GrowthMetric.RATE) * cost(load, GrowthMetric.PAIR_MICROS);
            case CLIENTS_ONE_NAME -> row.get(GrowthMetric.RATE) * cost(load, GrowthMetric.HAND_OFF_MICROS);
        };
        add(predictions, row, GrowthMetric.SERVER_CPU, micros / MICROS * 100);
        switch (load) {
            case HELD -> {
                same(predictions, row, GrowthMetric.PAIR_MICROS);
                same(predictions, row, GrowthMetric.SERVER_BYTES);
                same(predictions, row, GrowthMetric.CLIENT_BYTES);
            }
            case WAITERS_OWN_NAMES -> {
                same(predictions, row, GrowthMetric.SERVER_BYTES);
                same(predictions, row, GrowthMetric.CLIENT_BYTES);
            }
            case WAITERS_ONE_NAME -> same(predictions, row, GrowthMetric.CLIENT_BYTES);
            case CLIENTS_OWN_NAMES -> same(predictions, row, GrowthMetric.CONNECTIONS);
            case CLIENTS_ONE_NAME -> {
                // One name is one chain of hand-offs: with more clients each waits longer, and the rate stays the same.
                same(predictions, row, GrowthMetric.RATE);
                double waits = (row.size() - 1) / cost(load, GrowthMetric.RATE) * MICROS;
                add(predictions, row, GrowthMetric.ACQUIRE_P50, waits);
            }
        }
        return predictions;
    }

    private void same(List<Prediction> predictions, GrowthRow row, GrowthMetric metric) {
        add(predictions, row, metric, cost(row.load(), metric));
    }

    private static void add(List<Prediction> predictions, GrowthRow row, GrowthMetric metric, double predicted) {
        double measured = row.get(metric);
        if (!Double.isNaN(measured) && !Double.isNaN(predicted)) {
            predictions.add(new Prediction(metric, predicted, measured));
        }
    }

    /**
     * Returns how much of each load some primaries carry if they carry nothing else; loads that were not measured are
     * left out.
     *
     * @param primaries how many primaries, each on a core of its own
     * @param lease the lease of held locks
     * @param limits what each of them may use
     */
    List<Capacity> capacities(int primaries, Duration lease, ServerLimits limits) {
        // Costs are sums over the primaries on which they were measured, so each primary has its part of them.
        double cores = primaries * limits.cpuShare() * MICROS;
        List<Capacity> all = new ArrayList<>();
        addCapacity(
                all,
                new Capacity(
                        "pairs/s on names of their own", cores / cost(GrowthLoad.HELD, GrowthMetric.PAIR_MICROS), CPU));
        addCapacity(
                all,
                new Capacity(
                        "names held, lease " + lease.toMillis() / 1e3 + " s, all by one client",
                        balanced(
                                cores
                                        / primaries
                                        / (renewalsPerSecond(lease)
                                                * cost(GrowthLoad.HELD, GrowthMetric.RENEWAL_MICROS)),
                                primaries),
                        CPU));
        addCapacity(
                all, ofMemory("names held, any lease", GrowthMetric.SERVER_BYTES, GrowthLoad.HELD, primaries, limits));
        addCapacity(
                all,
                ofMemory(
                        "different names used within a day",
                        GrowthMetric.SERVER_BYTES_LEFT,
                        GrowthLoad.HELD,
                        primaries,
                        limits));
        addCapacity(
                all,
                new Capacity(
                        "threads that wait, each for a name of its own",
                        balanced(
                                cores
                                        / primaries
                                        / (cost(GrowthLoad.WAITERS_OWN_NAMES, GrowthMetric.WAITING_MICROS)
                                                / SECONDS_PER_MINUTE),
                                primaries),
                        CPU));
        addCapacity(
                all,
                ofMemory(
                        "the same, by memory",
                        GrowthMetric.SERVER_BYTES,
                        GrowthLoad.WAITERS_OWN_NAMES,
                        primaries,
                        limits));
        double handOffMicros = cost(GrowthLoad.CLIENTS_ONE_NAME, GrowthMetric.HAND_OFF_MICROS);
        addCapacity(all, new Capacity("hand-offs/s over many names", cores / handOffMicros, CPU));
        // A name has one primary, and a lock over independent servers needs all of them for each hand-off.
        double forOneName = limits.cpuShare() * MICROS * serversPerLock() / handOffMicros;
        double chain = cost(GrowthLoad.CLIENTS_ONE_NAME, GrowthMetric.RATE);
        addCapacity(
                all,
                new Capacity(
                        "hand-offs/s on one name",
                        Math.min(forOneName, chain),
                        chain < forOneName ? "latency: one hand-off begins when the last has ended" : CPU));
        addCapacity(
                all,
                new Capacity(
                        "client JVMs",
                        limits.connections() / connectionsPerClient(),
                        "connections of each server (maxclients)"));
        return all;
    }

    /**
     * The most connections that a client has: those for commands, and one subscription, if several threads use many
     * names.
     */
    private double connectionsPerClient() {
        return Arrays.stream(GrowthLoad.values())
                .mapToDouble(load -> cost(load, GrowthMetric.CONNECTIONS))
                .filter(Double::isFinite)
                .max()
                .orElse(Double.NaN);
    }

    private int serversPerLock() {
        return switch (costs.topology()) {
            case SINGLE_SERVERS -> costs.primaries();
            case SENTINELS, CLUSTER -> 1;
        };
    }

    private Capacity ofMemory(String load, GrowthMetric metric, GrowthLoad of, int primaries, ServerLimits limits) {
        return new Capacity(load, balanced(limits.bytes() / cost(of, metric), primaries), MEMORY);
    }

    private static void addCapacity(List<Capacity> all, Capacity capacity) {
        if (!Double.isNaN(capacity.amount()) && !Double.isInfinite(capacity.amount()) && capacity.amount() > 0) {
            all.add(capacity);
        }
    }

    private double cost(GrowthLoad load, GrowthMetric metric) {
        return costs.get(load, metric);
    }

    private static double renewalsPerSecond(Duration lease) {
        return HeldGrowth.PERIODS_PER_LEASE / (lease.toNanos() / 1e9);
    }

    /**
     * Returns how many names all primaries can have before the one with the most names has more than it can carry. Of n
     * names spread at random over p primaries, the one with the most has about {@code n/p + sqrt(2 n/p ln p)}.
     *
     * @param most how many names one primary can carry
     * @param primaries how many there are
     */
    static double balanced(double most, int primaries) {
        double spread = Math.sqrt(2 * Math.log(primaries));
        double root = (Math.sqrt(spread * spread + 4 * most) - spread) / 2;
        return primaries * root * root;
    }
}
