// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.DistantBackend;
import dev.interlock.tools.backends.EmbeddedBackend;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.conformance.Conformance;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.Effort;
import dev.interlock.tools.measure.Footprint;
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.MeasuredStrategy;
import dev.interlock.tools.measure.Measurement;
import dev.interlock.tools.measure.RoundTrip;
import dev.interlock.tools.measure.UncontendedPair;
import dev.interlock.tools.peers.PeerProvider;
import dev.interlock.tools.report.StrategyReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Takes strategies and locks of other libraries through all scenarios and the contract, each on servers of its own.
 * All is done in rounds, so that what else the machine does at a time strikes all of them. Only our own strategies are
 * asked the rules once: they must keep them every time, and are asked far more.
 */
final class Comparison {
    private static final int THREADS = 8;
    private static final int CLIENTS = 4;
    private static final List<Integer> GROWTH = List.of(1, 2, 4, 8, 16);
    private static final double NANOS_PER_MILLI = 1e6;

    private final Extent extent;
    private final Servers servers;
    private final List<Rule> rules;
    private final GuardedCounter guardedCounter;
    private final UncontendedPair uncontendedPair;
    private final UncontendedPair distantPair;
    private final Contention distantContention;
    private final Footprint footprint;
    private final List<Contention> contentions;
    private final List<Contention> growth;

    /**
     * How much is measured.
     *
     * @param effort how long each measurement takes
     * @param speed whether to measure how fast strategies are
     * @param repetitions in how many rounds
     * @param roundTrips the round trips of the networks over which it is measured besides
     * @param growth whether it is also measured with growing numbers of clients
     */
    record Extent(Effort effort, boolean speed, int repetitions, List<Duration> roundTrips, boolean growth) {
        static Extent once(Effort effort) {
            return new Extent(effort, true, 1, List.of(), false);
        }
    }

    /**
     * Prepares a comparison.
     *
     * @param rules the rules of the contract that the strategies should keep
     */
    Comparison(Extent extent, Servers servers, List<Rule> rules) {
        this.extent = extent;
        this.servers = servers;
        this.rules = rules;
        Effort effort = extent.effort();
        guardedCounter = new GuardedCounter(effort);
        uncontendedPair = new UncontendedPair(effort);
        footprint = new Footprint(effort);
        contentions = List.of(new Contention(effort, 1, THREADS), new Contention(effort, CLIENTS, 1));
        Effort brief = effort.ofOneAmongMany();
        distantPair = new UncontendedPair(brief);
        distantContention = new Contention(brief, CLIENTS, 1);
        growth = extent.growth()
                ? GROWTH.stream()
                        .map(clients -> new Contention(brief, clients, 1))
                        .toList()
                : List.of();
    }

    /** How many steps of progress some strategies make. */
    int steps(List<ConfiguredStrategy> strategies) {
        int steps = 0;
        for (ConfiguredStrategy strategy : strategies) {
            for (int round = 0; round < extent.repetitions(); round++) {
                steps += steps(strategy, round);
            }
        }
        return steps;
    }

    private int steps(ConfiguredStrategy strategy, int round) {
        int speed = extent.speed()
                ? 3
                        + contentions.size()
                        + growth.size()
                        + 2 * extent.roundTrips().size()
                : 0;
        return speed + (asksRules(strategy, round) ? 1 : 0);
    }

    private boolean asksRules(ConfiguredStrategy strategy, int round) {
        return !rules.isEmpty() && (round == 0 || strategy.provider() instanceof PeerProvider);
    }

    List<StrategyReport> run(List<ConfiguredStrategy> strategies, Progress progress) {
        Map<ConfiguredStrategy, StrategyReport.Builder> reports = new LinkedHashMap<>();
        strategies.forEach(strategy -> reports.put(strategy, new StrategyReport.Builder(strategy)));
        for (int i = 0; i < extent.repetitions(); i++) {
            int round = i;
            reports.forEach((strategy, report) -> measure(strategy, round, report, progress));
        }
        List<StrategyReport> all = new ArrayList<>();
        reports.values().forEach(report -> all.add(report.build()));
        return all;
    }

    private void measure(ConfiguredStrategy strategy, int round, StrategyReport.Builder report, Progress progress) {
        int steps = steps(strategy, round);
        if (steps == 0 || report.hasFailed()) {
            progress.skip(steps);
            return;
        }
        Counted counted = new Counted(progress);
        try (Backend backend = servers.backend(strategy.provider())) {
            report.redis(backend);
            MeasuredStrategy subject = new MeasuredStrategy(strategy.provider().name(), strategy.options(), backend);
            if (extent.speed()) {
                measure(subject, report, counted);
            }
            if (asksRules(strategy, round)) {
                report.conformance(conformance(strategy, backend, counted));
            }
        } catch (RuntimeException | LinkageError e) {
            // One strategy that fails must not hide what the others can do.
            report.failure(Messages.of(e));
            progress.skip(steps - counted.steps);
        }
    }

    private void measure(MeasuredStrategy subject, StrategyReport.Builder report, Counted counted) {
        report.guardedCounter(counted.step(guardedCounter, subject));
        report.uncontended(counted.step(uncontendedPair, subject));
        for (Contention contention : contentions) {
            report.contended(counted.step(contention, subject));
        }
        report.footprint(counted.step(footprint, subject));
        growth.forEach(contention -> report.growth(counted.step(contention, subject)));
        extent.roundTrips().forEach(roundTrip -> report.roundTrip(over(roundTrip, subject, counted)));
    }

    private RoundTrip over(Duration roundTrip, MeasuredStrategy subject, Counted counted) {
        try (Backend distant = new DistantBackend((EmbeddedBackend) subject.backend(), roundTrip)) {
            MeasuredStrategy over = new MeasuredStrategy(subject.strategy(), subject.options(), distant);
            return new RoundTrip(
                    roundTrip.toNanos() / NANOS_PER_MILLI,
                    counted.step(distantPair, over),
                    counted.step(distantContention, over));
        }
    }

    private ConformanceResult conformance(ConfiguredStrategy strategy, Backend backend, Counted counted) {
        Conformance conformance = new Conformance(servers, rules);
        LockStrategyProvider provider = strategy.provider();
        return counted.step(
                provider.name() + ": "
                        + (provider instanceof PeerProvider
                                ? "the rules of the contract for any lock"
                                : rules.size() + " rules of the contract"),
                () -> provider instanceof PeerProvider peer
                        ? conformance.checkPeer(peer, backend)
                        : conformance.check(strategy, Progress.none()));
    }

    /** The steps of progress that a strategy has made. */
    private static final class Counted {
        private final Progress progress;
        private int steps;

        Counted(Progress progress) {
            this.progress = progress;
        }

        <R> R step(Measurement<R> scenario, MeasuredStrategy subject) {
            return step(subject.strategy() + ": " + scenario.title(), () -> scenario.measure(subject));
        }

        <R> R step(String title, Supplier<R> work) {
            steps++;
            progress.begin(title);
            try {
                return work.get();
            } finally {
                progress.end();
            }
        }
    }
}
