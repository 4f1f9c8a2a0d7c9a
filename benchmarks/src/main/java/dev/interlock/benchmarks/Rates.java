// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.util.Map;

/** What goes on per second while nobody takes or gives up a lock. */
final class Rates {
    private final Stage stage;
    private final long from = System.nanoTime();
    private final double commands;
    private final double clientSeconds;

    /** Begins. */
    Rates(Stage stage) {
        this.stage = stage;
        commands = stage.commandsCarriedOut();
        clientSeconds = ClientCost.cpuSeconds();
    }

    /** What went on since the beginning. */
    Figures figures() {
        double seconds = (System.nanoTime() - from) / 1e9;
        return new Figures(
                Map.of(
                        Metric.COMMANDS_PER_SECOND,
                        (stage.commandsCarriedOut() - commands) / seconds,
                        Metric.CLIENT_MILLIS_PER_SECOND,
                        (ClientCost.cpuSeconds() - clientSeconds) / seconds * 1e3),
                0);
    }
}
