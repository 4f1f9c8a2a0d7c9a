// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import dev.interlock.LockStrategyProvider;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Takes strategies through all scenarios, each strategy on servers of its own. */
final class Comparison {
    private static final int THREADS = 8;
    private static final int CLIENTS = 4;

    private final Effort effort;
    private final List<String> redis;
    private final GuardedCounter guardedCounter;
    private final UncontendedPair uncontendedPair;
    private final List<Contention> contentions;

    /** Prepares a comparison on the named servers, or on embedded ones if none is named. */
    Comparison(Effort effort, List<String> redis) {
        this.effort = effort;
        this.redis = redis;
        guardedCounter = new GuardedCounter(effort);
        uncontendedPair = new UncontendedPair(effort);
        contentions = List.of(new Contention(effort, 1, THREADS), new Contention(effort, CLIENTS, 1));
    }

    /** How many steps of progress one strategy makes. */
    int steps() {
        return 2 + contentions.size();
    }

    Report run(List<LockStrategyProvider> providers, Progress progress) {
        List<StrategyReport> reports = new ArrayList<>();
        for (LockStrategyProvider provider : providers) {
            reports.add(measure(provider, progress));
        }
        return new Report(
                Report.SCHEMA_VERSION,
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                effort.name(),
                Machine.here(),
                reports);
    }

    private StrategyReport measure(LockStrategyProvider provider, Progress progress) {
        StrategyReport.Builder report = new StrategyReport.Builder(provider.name(), provider.profile());
        int steps = 0;
        try (Backend backend = backend(provider.name())) {
            report.redis(backend);
            Subject subject = new Subject(provider.name(), backend);
            report.guardedCounter(step(guardedCounter, subject, progress));
            steps++;
            report.uncontended(step(uncontendedPair, subject, progress));
            steps++;
            for (Contention contention : contentions) {
                report.contended(step(contention, subject, progress));
                steps++;
            }
        } catch (RuntimeException | LinkageError e) {
            // One strategy that fails must not hide what the others can do.
            report.failure(Messages.of(e));
            progress.skip(steps() - steps);
        }
        return report.build();
    }

    private static <R> R step(Scenario<R> scenario, Subject subject, Progress progress) {
        progress.begin(subject.strategy() + ": " + scenario.title());
        R result = scenario.measure(subject);
        progress.end();
        return result;
    }

    private Backend backend(String strategy) {
        int needed = serversFor(strategy);
        return redis.isEmpty() ? EmbeddedBackend.start(needed) : new ExternalBackend(redis, needed);
    }

    /** How many independent servers a strategy is made for. */
    private static int serversFor(String strategy) {
        return strategy.equals("redlock") ? 5 : 1;
    }
}
