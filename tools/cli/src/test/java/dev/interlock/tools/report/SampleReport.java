// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.DistributedLocks;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.conformance.RuleVerdict;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.Declaration;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import dev.interlock.tools.lab.play.LabFault;
import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.Footprint;
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.RoundTrip;
import dev.interlock.tools.measure.UncontendedPair;
import dev.interlock.tools.peers.PeerProvider;
import dev.interlock.tools.peers.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A report with all parts, about all strategies and locks of other libraries that there are, with figures that are made
 * up.
 */
final class SampleReport {
    private SampleReport() {}

    static Report report() {
        List<LockStrategyProvider> providers = new ArrayList<>(DistributedLocks.strategies().stream()
                .filter(provider -> !provider.name().startsWith("test-"))
                .toList());
        providers.addAll(Peers.all());
        List<StrategyReport> strategies = new ArrayList<>();
        List<FaultReport.Row> rows = new ArrayList<>();
        for (LockStrategyProvider provider : providers) {
            strategies.add(strategy(provider, 1 + strategies.size()));
            rows.add(row(provider));
        }
        return new Report(
                Report.KIND,
                Report.SCHEMA_VERSION,
                "0.1",
                "0123456789ab",
                "./interlock compare --full --repeat 2 --rtt 1,5",
                "2026-11-25T12:00:00Z",
                "normal",
                2,
                new Machine("17.0.1+1 (Maker)", "Linux 6.1, amd64", 2, "some processor"),
                List.of(0.5, 1.5),
                strategies,
                new FaultReport(
                        1,
                        2000,
                        "7.2.4",
                        List.of(
                                FaultReport.Fault.of(LabFault.KILLED),
                                FaultReport.Fault.of(LabFault.CLIENT_CLOCK),
                                FaultReport.Fault.of(LabFault.FLUSHALL)),
                        rows),
                Recommendations.of(strategies, null),
                List.of(),
                Report.SpeedTerms.present(),
                Map.of("jedis", "8.0.2", "redisson", "4.7.0"));
    }

    private static StrategyReport strategy(LockStrategyProvider provider, int number) {
        StrategyReport.Builder report = new StrategyReport.Builder(ConfiguredStrategy.of(provider, Map.of()));
        for (int round = 1; round <= 2; round++) {
            report.guardedCounter(new GuardedCounter.Result(2, 4, 100, 100));
            report.uncontended(pair(number * round, round * 1_000));
            report.contended(contention(1, 8, number, round));
            report.contended(contention(4, 1, number, round));
            for (int clients = 1; clients <= 4; clients *= 2) {
                report.growth(contention(clients, 1, number, round));
            }
            report.roundTrip(new RoundTrip(1, pair((number + 2) * round, 300), contention(4, 1, number, round)));
            report.roundTrip(new RoundTrip(5, pair((number + 10) * round, 80), contention(4, 1, number, round)));
            // The heap of the second one is less than what changes by itself.
            report.footprint(new Footprint.Result(2_000, 100.0 * number, 79.0 + round, 900, number == 2 ? 250.0 : 5.0));
            if (round == 1 || provider instanceof PeerProvider) {
                report.conformance(rules(provider, round));
            }
        }
        return report.build();
    }

    private static ConformanceResult rules(LockStrategyProvider provider, int round) {
        List<RuleVerdict> rules = new ArrayList<>();
        for (Rule rule : provider instanceof PeerProvider ? Rule.OF_PLAIN_LOCKS : Rule.ALL) {
            RuleVerdict.Outcome outcome = rule.number() % 7 == 6
                    ? RuleVerdict.Outcome.SKIPPED
                    : provider instanceof PeerProvider && rule.number() % (5 * round) == 4
                            ? RuleVerdict.Outcome.FAILED
                            : RuleVerdict.Outcome.PASSED;
            rules.add(RuleVerdict.of(rule, outcome, outcome == RuleVerdict.Outcome.PASSED ? null : "it is made up so"));
        }
        return new ConformanceResult(rules, round);
    }

    private static UncontendedPair.Result pair(double millis, double rate) {
        return new UncontendedPair.Result(
                1_000,
                millis,
                2 * millis,
                rate,
                2,
                List.of(
                        new UncontendedPair.Latency(50, millis),
                        new UncontendedPair.Latency(99, 2 * millis),
                        new UncontendedPair.Latency(100, 5 * millis)));
    }

    private static Contention.Result contention(int clients, int threads, int number, int round) {
        return new Contention.Result(
                clients,
                threads,
                1_000.0 * number * round,
                500.0 * round,
                2 + clients * round,
                1.0 / number / round,
                0.5 / number / round);
    }

    private static FaultReport.Row row(LockStrategyProvider provider) {
        return new FaultReport.Row(
                provider.name(),
                provider.name(),
                Map.of(),
                false,
                provider instanceof PeerProvider,
                provider.profile().capabilities(),
                provider.profile().assumptions(),
                List.of(
                        LabCell.played(
                                LabFault.KILLED,
                                CellVerdict.SAFE,
                                new Declaration(Declaration.Kind.NOTHING, null),
                                RenderersTest.evidence(0, 0)),
                        new LabCell(
                                LabFault.CLIENT_CLOCK.id(),
                                LabCell.Outcome.NOT_RUN,
                                "needs clocks that can be set",
                                null,
                                null,
                                null,
                                0),
                        LabCell.played(
                                LabFault.FLUSHALL,
                                CellVerdict.VIOLATED,
                                new Declaration(Declaration.Kind.UNDECLARED, null),
                                RenderersTest.evidence(0, 1))));
    }
}
