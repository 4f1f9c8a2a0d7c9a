// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Threads of one or several clients take and give up locks as fast as they can. */
final class Throughput implements Scenario {
    private static final List<Metric> COSTS =
            List.of(Metric.P50_MICROS, Metric.P99_MICROS, Metric.COMMANDS, Metric.REDIS_MICROS, Metric.CLIENT_MICROS);

    private final String name;
    private final String title;
    private final Duration time;
    private final int clients;
    private final int threadsPerClient;
    private final boolean oneName;

    private Throughput(String name, String title, Duration time, int clients, int threadsPerClient, boolean oneName) {
        this.name = name;
        this.title = title;
        this.time = time;
        this.clients = clients;
        this.threadsPerClient = threadsPerClient;
        this.oneName = oneName;
    }

    /** Each thread has a lock of its own. */
    static Scenario ownNames(String name, Duration time, int threads) {
        String title =
                threads == 1 ? "1 thread: lock and unlock" : threads + " threads of one client, each with its own name";
        return new Throughput(name, title, time, 1, threads, false);
    }

    /** All threads want the same lock. */
    static Scenario oneName(String name, Duration time, int clients, int threadsPerClient) {
        String title = clients == 1
                ? threadsPerClient + " threads of one client on one name"
                : clients + " clients with " + threadsPerClient + (threadsPerClient == 1 ? " thread" : " threads")
                        + " each on one name";
        return new Throughput(name, title, time, clients, threadsPerClient, true);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public List<Metric> metrics() {
        return Stream.concat(rates(), COSTS.stream()).toList();
    }

    private Stream<Metric> rates() {
        if (!oneName) {
            return Stream.of(Metric.PAIRS_PER_SECOND);
        }
        // Where threads of one client pass the lock on among themselves, how often it was had says more.
        return clients > 1 && threadsPerClient > 1
                ? Stream.of(Metric.ACQUIRED_PER_SECOND, Metric.HAND_OFFS_PER_SECOND, Metric.MOST_TO_LEAST)
                : Stream.of(Metric.HAND_OFFS_PER_SECOND, Metric.ACQUIRED_PER_SECOND, Metric.MOST_TO_LEAST);
    }

    @Override
    public boolean suits(Candidate candidate) {
        // Nobody hands over what nobody else wants.
        return oneName || !candidate.options().containsKey(InterlockOpener.LOCAL_HANDOFFS);
    }

    @Override
    public Figures measure(Candidate candidate) {
        try (Stage stage = Stage.open(candidate)) {
            Load load = new Load(stage, !oneName);
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
}
