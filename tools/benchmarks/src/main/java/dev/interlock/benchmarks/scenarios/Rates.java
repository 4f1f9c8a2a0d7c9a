// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.figures.ClientCost;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Pause;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Measures rates while nobody acquires or releases a lock. */
final class Rates {
    /** The figures that are measured. */
    static final List<Metric> METRICS =
            List.of(Metric.COMMANDS_PER_SECOND, Metric.CARRIED_OUT_PER_SECOND, Metric.CLIENT_MILLIS_PER_SECOND);

    private Rates() {}

    /**
     * Watches for twice the given time. Commands are counted in the second half only, since counting is work for the
     * client too.
     */
    static Map<Metric, Double> during(Testbed stage, Duration time) {
        double seconds = time.toNanos() / 1e9;
        double carriedOut = stage.commandsCarriedOut();
        double clientSeconds = ClientCost.cpuSeconds();
        Pause.of(time);
        clientSeconds = ClientCost.cpuSeconds() - clientSeconds;
        carriedOut = stage.commandsCarriedOut() - carriedOut;
        return Map.of(
                Metric.COMMANDS_PER_SECOND, stage.commandsSent(() -> Pause.of(time)) / seconds,
                Metric.CARRIED_OUT_PER_SECOND, carriedOut / seconds,
                Metric.CLIENT_MILLIS_PER_SECOND, clientSeconds / seconds * 1e3);
    }
}
