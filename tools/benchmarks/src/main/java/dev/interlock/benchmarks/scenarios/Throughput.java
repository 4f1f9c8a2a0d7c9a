// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.LocksInTurn;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Guarded;
import dev.interlock.benchmarks.figures.Metric;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Threads of one or several clients take and give up locks as fast as they can. */
class Throughput extends Scenario {
    private static final List<String> NAMES = List.of("first", "second", "third");

    private static final List<Metric> COSTS = List.of(
            Metric.P50_MICROS,
            Metric.P99_MICROS,
            Metric.COMMANDS,
            Metric.EXCEPTIONS,
            Metric.REDIS_MICROS,
            Metric.CLIENT_MICROS,
            Metric.CPU_MICROS);

    private final Duration time;
    private final Layout layout;

    /**
     * The distribution of threads over clients and locks.
     *
     * @param clients how many clients there are
     * @param threadsPerClient how many threads each of them has
     * @param oneName whether all want the same lock, and not each its own
     * @param terms the terms on which locks are acquired
     */
    private record Layout(int clients, int threadsPerClient, boolean oneName, Terms terms) {}

    private Throughput(String name, String title, Stream<Metric> rates, Duration time, Layout layout) {
        this(
                name,
                title,
                rates,
                time,
                layout,
                layout.oneName ? candidate -> true : Candidate::locksWithDefaultHandoffs);
    }

    private Throughput(
            String name,
            String title,
            Stream<Metric> rates,
            Duration time,
            Layout layout,
            Predicate<Candidate> suitable) {
        super(name, title, metrics(rates), suitable);
        this.time = time;
        this.layout = layout;
    }

    /** Returns the given rates, and the figures of the cost of an acquisition. */
    static List<Metric> metrics(Stream<Metric> rates) {
        return Stream.concat(rates, COSTS.stream()).toList();
    }

    /** Threads of one client, of which each has a lock of its own. */
    static Scenario ownNames(String name, Duration time, int threads) {
        String title =
                threads == 1 ? "1 thread: lock and unlock" : threads + " threads of one client, each with its own name";
        return ownNames(name, title, time, threads, Terms.SHORT);
    }

    /** As {@link #ownNames}, with the default time-outs of the candidates. */
    static Scenario ownNamesWithDefaultTimeouts(String name, Duration time, int threads) {
        String title = threads + " threads of one client, each with its own name, default time-outs";
        return ownNames(name, title, time, threads, Terms.DEFAULT_TIMEOUTS);
    }

    private static Scenario ownNames(String name, String title, Duration time, int threads, Terms terms) {
        return new Throughput(
                name, title, Stream.of(Metric.PAIRS_PER_SECOND), time, new Layout(1, threads, false, terms));
    }

    /** One thread that acquires three uncontended names by one lock over all of them. */
    static Scenario threeNames(String name, Duration time) {
        return threeNames(name, "1 thread: lock and unlock one lock over 3 names", time, client -> client.lock(NAMES));
    }

    /** One thread that acquires three uncontended names by the lock of each. */
    static Scenario threeLocks(String name, Duration time) {
        return threeNames(
                name,
                "1 thread: lock and unlock 3 locks, one after the other",
                time,
                client -> new LocksInTurn(NAMES.stream().map(client::lock).toList()));
    }

    private static Scenario threeNames(String name, String title, Duration time, Function<LockClient, Lock> lock) {
        return new Throughput(
                name,
                title,
                Stream.of(Metric.PAIRS_PER_SECOND),
                time,
                new Layout(1, 1, false, Terms.SHORT),
                Candidate::locksSeveralNames) {
            @Override
            void add(LockClient client, Workload load) {
                load.add(lock.apply(client), new Guarded());
            }
        };
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
        // Where threads of one client can hand the lock to each other, the rate of acquisitions says more than that of
        // hand-offs.
        Stream<Metric> rates = Stream.of(Metric.ACQUIRED_PER_SECOND, Metric.HAND_OFFS_PER_SECOND, Metric.MOST_TO_LEAST);
        return contended(name, title, rates, time, clients, threads);
    }

    private static Stream<Metric> handOffsFirst() {
        return Stream.of(Metric.HAND_OFFS_PER_SECOND, Metric.ACQUIRED_PER_SECOND, Metric.MOST_TO_LEAST);
    }

    private static Scenario contended(
            String name, String title, Stream<Metric> rates, Duration time, int clients, int threadsPerClient) {
        return new Throughput(name, title, rates, time, new Layout(clients, threadsPerClient, true, Terms.SHORT));
    }

    @Override
    Figures measure(Testbed stage) {
        Workload load = new Workload(stage, !layout.oneName, Workload.PLATFORM_THREADS);
        Guarded shared = new Guarded();
        for (int i = 0; i < layout.clients; i++) {
            LockClient client = stage.client(layout.terms);
            if (layout.oneName) {
                for (int j = 0; j < layout.threadsPerClient; j++) {
                    load.add(client.lock("shared"), shared);
                }
            } else {
                add(client, load);
            }
        }
        return load.run(time);
    }

    /** Adds the threads of a client that share no lock. */
    void add(LockClient client, Workload load) {
        load.addOwnNames(client, layout.threadsPerClient);
    }
}
