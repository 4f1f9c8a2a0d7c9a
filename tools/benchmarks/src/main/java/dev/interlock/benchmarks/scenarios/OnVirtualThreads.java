// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Measures virtual threads of one client, each with a lock of its own, after as many platform threads of the same
 * client, so that the two can be compared.
 */
final class OnVirtualThreads extends Scenario {
    private static final int FIRST_JAVA = 21;

    private final Duration time;
    private final int threads;

    OnVirtualThreads(String name, Duration time, int threads) {
        super(
                name,
                threads + " virtual threads of one client, each with its own name",
                Throughput.metrics(Stream.of(Metric.PAIRS_PER_SECOND, Metric.TIMES_PLATFORM)),
                Candidate::locksWithDefaultHandoffs);
        this.time = time;
        this.threads = threads;
    }

    @Override
    public Optional<String> objection() {
        int java = Runtime.version().feature();
        return java < FIRST_JAVA
                ? Optional.of("it needs virtual threads, which this JVM (Java " + java
                        + ") does not have: run it with Java " + FIRST_JAVA + " or newer")
                : Optional.empty();
    }

    @Override
    Figures measure(Testbed stage) {
        LockClient client = stage.client(Terms.SHORT);
        Figures platform = measure(stage, client, Workload.PLATFORM_THREADS);
        Figures virtual = measure(stage, client, Workload.VIRTUAL_THREADS);
        Map<Metric, Double> values = new EnumMap<>(virtual.values());
        values.put(Metric.TIMES_PLATFORM, virtual.get(Metric.PAIRS_PER_SECOND) / platform.get(Metric.PAIRS_PER_SECOND));
        return new Figures(values, platform.lostUpdates() + virtual.lostUpdates(), virtual.exception());
    }

    private Figures measure(Testbed stage, LockClient client, Function<Runnable, Thread> maker) {
        Workload load = new Workload(stage, true, maker);
        load.addOwnNames(client, threads);
        return load.run(time);
    }
}
