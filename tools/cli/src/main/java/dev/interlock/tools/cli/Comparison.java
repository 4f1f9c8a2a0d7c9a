// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.conformance.Conformance;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.Effort;
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.MeasuredStrategy;
import dev.interlock.tools.measure.Measurement;
import dev.interlock.tools.measure.UncontendedPair;
import dev.interlock.tools.report.StrategyReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Takes strategies through all scenarios and the contract, each strategy on servers of its own. */
final class Comparison {
    private static final int THREADS = 8;
    private static final int CLIENTS = 4;

    private final Servers servers;
    private final List<Rule> rules;
    private final boolean speed;
    private final GuardedCounter guardedCounter;
    private final UncontendedPair uncontendedPair;
    private final List<Contention> contentions;

    /**
     * Prepares a comparison.
     *
     * @param speed whether to measure how fast strategies are
     * @param rules the rules of the contract that they should keep
     */
    Comparison(Effort effort, Servers servers, boolean speed, List<Rule> rules) {
        this.speed = speed;
        this.servers = servers;
        this.rules = rules;
        guardedCounter = new GuardedCounter(effort);
        uncontendedPair = new UncontendedPair(effort);
        contentions = List.of(new Contention(effort, 1, THREADS), new Contention(effort, CLIENTS, 1));
    }

    /** How many steps of progress one strategy makes. */
    int steps() {
        return (speed ? 2 + contentions.size() : 0) + (rules.isEmpty() ? 0 : 1);
    }

    List<StrategyReport> run(List<LockStrategyProvider> providers, Progress progress) {
        List<StrategyReport> reports = new ArrayList<>();
        for (LockStrategyProvider provider : providers) {
            reports.add(steps() == 0 ? new StrategyReport.Builder(provider).build() : measure(provider, progress));
        }
        return reports;
    }

    private StrategyReport measure(LockStrategyProvider provider, Progress progress) {
        StrategyReport.Builder report = new StrategyReport.Builder(provider);
        int steps = 0;
        try (Backend backend = servers.backend(provider)) {
            report.redis(backend);
            MeasuredStrategy subject = new MeasuredStrategy(provider.name(), backend);
            if (speed) {
                steps++;
                report.guardedCounter(step(guardedCounter, subject, progress));
                steps++;
                report.uncontended(step(uncontendedPair, subject, progress));
                for (Contention contention : contentions) {
                    steps++;
                    report.contended(step(contention, subject, progress));
                }
            }
            if (!rules.isEmpty()) {
                steps++;
                report.conformance(conformance(provider, progress));
            }
        } catch (RuntimeException | LinkageError e) {
            // One strategy that fails must not hide what the others can do.
            report.failure(Messages.of(e));
            progress.skip(steps() - steps);
        }
        return report.build();
    }

    private static <R> R step(Measurement<R> scenario, MeasuredStrategy subject, Progress progress) {
        return step(subject.strategy() + ": " + scenario.title(), () -> scenario.measure(subject), progress);
    }

    private ConformanceResult conformance(LockStrategyProvider provider, Progress progress) {
        Conformance conformance = new Conformance(servers, rules);
        return step(
                provider.name() + ": " + rules.size() + " rules of the contract",
                () -> conformance.check(ConfiguredStrategy.of(provider, Map.of()), Progress.none()),
                progress);
    }

    private static <R> R step(String title, Supplier<R> work, Progress progress) {
        progress.begin(title);
        try {
            return work.get();
        } finally {
            progress.end();
        }
    }
}
