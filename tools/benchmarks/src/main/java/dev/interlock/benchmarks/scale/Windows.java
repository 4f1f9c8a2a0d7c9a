// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import java.util.Map;
import org.HdrHistogram.Histogram;

/** Writes the figures that all measurements have in common. */
final class Windows {
    private static final int DIGITS = 3;

    private Windows() {}

    static void put(Map<GrowthMetric, Double> values, ServerReading window, double idleShare) {
        double micros = window.microsAbove(idleShare);
        values.put(GrowthMetric.COMMANDS_PER_SECOND, window.commands() / window.seconds());
        values.put(GrowthMetric.SERVER_CPU, micros / window.seconds() / 1e4);
        if (window.commands() > 0) {
            values.put(GrowthMetric.SERVER_MICROS_PER_COMMAND, micros / window.commands());
        }
    }

    static void putAcquire(Map<GrowthMetric, Double> values, Histogram nanos) {
        values.put(GrowthMetric.ACQUIRE_P50, nanos.getValueAtPercentile(50) / 1e3);
        values.put(GrowthMetric.ACQUIRE_P99, nanos.getValueAtPercentile(99) / 1e3);
    }

    /** Writes percentiles of times in nanoseconds; those before zero, which are no hand-offs, are left out. */
    static void putHandOff(Map<GrowthMetric, Double> values, long[] nanos) {
        Histogram histogram = new Histogram(DIGITS);
        for (long each : nanos) {
            if (each >= 0) {
                histogram.recordValue(each);
            }
        }
        if (histogram.getTotalCount() > 0) {
            values.put(GrowthMetric.HAND_OFF_P50, histogram.getValueAtPercentile(50) / 1e3);
            values.put(GrowthMetric.HAND_OFF_P99, histogram.getValueAtPercentile(99) / 1e3);
        }
    }
}
