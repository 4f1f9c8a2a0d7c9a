// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Threads of one or several clients take and give up locks as fast as they can. */
final class Throughput extends Scenario {
    private static final List<Metric> COSTS =
            List.of(Metric.P50_MICROS, Metric.P99_MICROS, Metric.COMMANDS, Metric.REDIS_MICROS, Metric.CLIENT_MICROS);

    private final Duration time;
    private final int clients;
    private final int threadsPerClient;
    private final boolean oneName;

    private Throughput(
            String name,
            String title,
            Stream<Metric> rates,
            Duration time,
            int clients,
            int threadsPerClient,
            boolean oneName) {
        super(
                name,
                title,
                Stream.concat(rates, COSTS.stream()).toList(),
                oneName ? candidate -> true : Candidate::passesOnAsItComes);
        this.time = time;
        this.clients = clients;
        this.threadsPerClient = threadsPerClient;
        this.oneName = oneName;
    }

    /** Threads of one client, of which each has a lock of its own. */
    static Scenario ownNames(String name, Duration time, int threads) {
        String title =
                threads == 1 ? "1 thread: lock and unlock" : threads + " threads of one client, each with its own name";
        return new Throughput(name, title, Stream.of(Metric.PAIRS_PER_SECOND), time, 1, threads, false);
    }

    /** Threads of one client that all want the same lock. */
    static Scenario oneName(String name, Duration time, int threads) {
        return contended(name, threads + " threads of one client on one name", handOffsFirst(), time, 1, threads);
    }

    /** Clients with one thread each that all want the same lock. */
    static Scenario oneNameOfClients(String name, Duration time, int clients) {
        String title = clients + " clients with 1 thread each on one name";
        return contended(name, title, handOffsFirst(), time, clients, 1);
    }

    /** Clients with several threads each that all want the same lock. */
    static Scenario oneNameOfClientsWithThreads(String name, Duration time, int clients, int threads) {
        String title = clients + " clients with " + threads + " threads each on one name";
        // Where threads of one client can pass the lock on among themselves, how often it was had says more.
        Stream<Metric> rates = Stream.of(Metric.ACQUIRED_PER_SECOND, Metric.HAND_OFFS_PER_SECOND, Metric.MOST_TO_LEAST);
        return contended(name, title, rates, time, clients, threads);
    }

    private static Stream<Metric> handOffsFirst() {
        return Stream.of(Metric.HAND_OFFS_PER_SECOND, Metric.ACQUIRED_PER_SECOND, Metric.MOST_TO_LEAST);
    }

    private static Scenario contended(
            String name, String title, Stream<Metric> rates, Duration time, int clients, int threadsPerClient) {
        return new Throughput(name, title, rates, time, clients, threadsPerClient, true);
    }

    @Override
    Figures measure(Testbed stage) {
        Workload load = new Workload(stage, !oneName);
        Guarded shared = new Guarded();
        for (int i = 0; i < clients; i++) {
            LockClient client = stage.client(Terms.SHORT);
            for (int j = 0; j < threadsPerClient; j++) {
                if (oneName) {
                    load.add(client.lock("shared"), shared);
                } else {
                    load.add(client.lock("own-" + j), new Guarded());
                }
            }
        }
        return load.run(time);
    }
}
