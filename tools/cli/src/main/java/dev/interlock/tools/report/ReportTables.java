// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.GuardedCounter;
import dev.interlock.tools.measure.UncontendedPair;
import dev.interlock.tools.peers.PeerCard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates tables from a {@link Report}. */
public final class ReportTables {
    /** What the number of retries means. */
    private static final String RETRIES =
            "Retries: how often a rule tried again, because the machine may have stood still; a lock that fails now and then"
                    + " could hide behind them.";

    private static final String YES = "yes";
    private static final String NO = "-";

    private ReportTables() {}

    public static List<ReportTable> of(Report report) {
        List<ReportTable> tables = new ArrayList<>();
        tables.add(peers(report));
        tables.add(profiles(report));
        tables.addAll(measured(report));
        if (report.faults() != null) {
            tables.addAll(FaultTables.of(report.faults()));
        }
        return tables;
    }

    /** The tables of conformance and speed. */
    static List<ReportTable> measured(Report report) {
        return List.of(
                guardedCounters(report),
                uncontended(report),
                contended(report),
                SpeedTables.fairness(report),
                SpeedTables.growth(report),
                SpeedTables.roundTrips(report),
                SpeedTables.memory(report),
                conformance(report));
    }

    /** Whose the other locks are. */
    static ReportTable peers(Report report) {
        List<List<String>> rows = new ArrayList<>();
        List<String> notes = new ArrayList<>(List.of(
                "They are configured as their documentation recommends, with the lease and the command time-out of"
                        + " ours" + speedTerms(report) + ". What they promise and assume is what that documentation"
                        + " says."));
        if (report.libraries() != null) {
            notes.add("Libraries: "
                    + report.libraries().entrySet().stream()
                            .map(library -> library.getKey() + " " + library.getValue())
                            .sorted()
                            .collect(Collectors.joining(", "))
                    + ".");
        }
        for (StrategyReport strategy : report.strategies()) {
            PeerCard peer = strategy.peer();
            if (peer != null) {
                rows.add(List.of(
                        strategy.name(), peer.title(), peer.artifact().replaceFirst(".*:", "") + " " + peer.version()));
                notes.addAll(peer.sentences(strategy.name()));
            }
        }
        return new ReportTable("Locks of other libraries", List.of("Name", "What", "Artifact"), rows, notes);
    }

    private static String speedTerms(Report report) {
        Report.SpeedTerms terms = report.speedTerms();
        return terms == null
                ? ""
                : ": " + seconds(terms.leaseMillis()) + " and " + seconds(terms.commandTimeoutMillis())
                        + " while speed is measured";
    }

    private static String seconds(long millis) {
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }

    /** Which strategy to take for what. */
    static ReportTable recommendations(Report report) {
        return new ReportTable(
                "Which one to take",
                List.of("To", "take", "because"),
                report.recommendations().stream()
                        .map(it -> List.of(
                                it.need(), Objects.requireNonNullElse(it.strategy(), "none of them"), it.reason()))
                        .toList(),
                List.of("Only strategies in which nothing wrong was found. No lease alone keeps data right: see"
                        + " docs/choosing-a-strategy.md."));
    }

    static ReportTable profiles(Report report) {
        List<String> header = new ArrayList<>(List.of("Property"));
        report.strategies().forEach(strategy -> header.add(strategy.name()));
        List<List<String>> rows = new ArrayList<>();
        for (Capability capability : Capability.values()) {
            // What nobody promises sets nobody apart; a report may also be older than the capability.
            if (report.strategies().stream()
                    .anyMatch(strategy -> strategy.capabilities().contains(capability))) {
                rows.add(marks(
                        report,
                        "promises: " + capability.summary(),
                        strategy -> strategy.capabilities().contains(capability)));
            }
        }
        for (Assumption assumption : Assumption.values()) {
            rows.add(marks(
                    report,
                    "assumes: " + assumption.summary(),
                    strategy -> strategy.assumptions().contains(assumption)));
        }
        return new ReportTable(
                "Promises and assumptions",
                header,
                rows,
                Stream.concat(
                                report.strategies().stream().flatMap(strategy -> purpose(strategy).stream()),
                                report.strategies().stream()
                                        .flatMap(strategy -> options(strategy.name(), strategy.options()).stream()))
                        .toList());
    }

    /** Returns the purpose of a strategy and its needs, in a sentence; empty if it states none. */
    private static Optional<String> purpose(StrategyReport strategy) {
        return Optional.ofNullable(strategy.purpose())
                .filter(purpose -> !purpose.isEmpty())
                .map(purpose -> "Take " + strategy.name() + " to " + purpose
                        + (strategy.servers() == null
                                ? ""
                                : ", on " + strategy.servers().summary()) + ".");
    }

    /** With which options a strategy ran, in a sentence; none if it has no options. */
    static List<String> options(String label, Map<String, String> options) {
        return options.isEmpty()
                ? List.of()
                : List.of("Options of " + label + ": "
                        + options.entrySet().stream()
                                .map(option -> option.getKey() + "=" + option.getValue())
                                .sorted()
                                .collect(Collectors.joining(", "))
                        + ".");
    }

    private static List<String> marks(Report report, String label, Predicate<StrategyReport> holds) {
        List<String> row = new ArrayList<>(List.of(label));
        report.strategies().forEach(strategy -> row.add(holds.test(strategy) ? YES : NO));
        return row;
    }

    private static ReportTable guardedCounters(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            GuardedCounter.Result worst = strategy.guardedCounter();
            List<GuardedCounter.Result> runs = strategy.guardedCounterRuns();
            if (worst != null) {
                rows.add(List.of(
                        strategy.name(),
                        worst.processes() + " x " + worst.threadsPerProcess() + " threads",
                        whole(runs.stream()
                                .mapToLong(GuardedCounter.Result::expected)
                                .sum()),
                        whole(runs.stream()
                                .mapToLong(GuardedCounter.Result::actual)
                                .sum()),
                        whole(runs.stream()
                                .mapToLong(GuardedCounter.Result::lost)
                                .sum()),
                        verdict(runs)));
            }
        }
        return new ReportTable(
                "Guarded counter",
                List.of("Strategy", "Processes", "Expected", "Actual", "Lost updates", "Verdict"),
                rows,
                Stream.concat(
                                Stream.of("Processes add one to a number in Redis by GET and SET under the lock; two"
                                        + " holders at once lose updates."),
                                sums(report).stream())
                        .toList());
    }

    private static String verdict(List<GuardedCounter.Result> runs) {
        long broken = runs.stream().filter(run -> !run.correct()).count();
        return broken == 0
                ? "correct"
                : "BROKEN" + (runs.size() == 1 ? "" : " in " + broken + " of " + runs.size() + " rounds");
    }

    private static List<String> sums(Report report) {
        return roundsOf(report, StrategyReport::guardedCounterRuns) > 1
                ? List.of("The sums of " + roundsOf(report, StrategyReport::guardedCounterRuns) + " rounds.")
                : firstRound(report);
    }

    /** How many runs of a measurement there are of the strategy that has most. */
    private static int roundsOf(Report report, Function<StrategyReport, List<?>> runs) {
        return report.strategies().stream()
                .mapToInt(strategy -> runs.apply(strategy).size())
                .max()
                .orElse(0);
    }

    private static ReportTable uncontended(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            List<UncontendedPair.Result> runs = strategy.uncontendedRuns();
            if (strategy.uncontended() != null) {
                rows.add(List.of(
                        strategy.name(),
                        millis(Interval.of(runs, UncontendedPair.Result::p50Millis)),
                        millis(Interval.of(runs, UncontendedPair.Result::p99Millis)),
                        rate(Interval.of(runs, UncontendedPair.Result::pairsPerSecond)),
                        ratio(Interval.of(runs, UncontendedPair.Result::commandsPerPair))));
            }
        }
        return new ReportTable(
                "Uncontended lock and unlock, one thread",
                List.of("Strategy", "p50", "p99", "Pairs", "Commands per pair"),
                rows,
                Stream.concat(counting(report).stream(), intervals(report).stream())
                        .toList());
    }

    private static ReportTable contended(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            for (Contention.Result result : strategy.contended()) {
                List<Contention.Result> runs = strategy.runsOf(result);
                rows.add(List.of(
                        strategy.name(),
                        contenders(result),
                        rate(Interval.of(runs, Contention.Result::acquisitionsPerSecond)),
                        rate(Interval.of(runs, Contention.Result::handOffsPerSecond)),
                        ratio(Interval.of(runs, Contention.Result::commandsPerAcquisition))));
            }
        }
        return new ReportTable(
                "Contended lock, one name",
                List.of("Strategy", "Contenders", "Acquisitions", "Hand-offs", "Commands per acquisition"),
                rows,
                Stream.concat(
                                Stream.of("A hand-off is an acquisition by another thread than the one before."),
                                intervals(report).stream())
                        .toList());
    }

    static String contenders(Contention.Result result) {
        return result.clients()
                + (result.clients() == 1 ? " client x " : " clients x ")
                + result.threadsPerClient()
                + (result.threadsPerClient() == 1 ? " thread" : " threads");
    }

    private static ReportTable conformance(Report report) {
        Map<String, ConformanceResult> results = new LinkedHashMap<>();
        for (StrategyReport strategy : report.strategies()) {
            if (strategy.conformance() != null) {
                results.put(strategy.name(), strategy.conformance());
            }
        }
        ReportTable table = conformance(results);
        OptionalInt rounds = results.values().stream()
                .map(ConformanceResult::rounds)
                .filter(Objects::nonNull)
                .mapToInt(Integer::intValue)
                .max();
        if (report.strategies().stream().allMatch(StrategyReport::ours)) {
            return table;
        }
        List<String> notes = new ArrayList<>(table.notes());
        notes.add(
                "Locks of other libraries are asked those rules that any java.util.concurrent.locks.Lock can be asked;"
                        + " they never promised them.");
        rounds.ifPresent(number -> notes.add("Locks of other libraries were asked in each of " + number
                + " rounds. Broken is a rule that was broken in one of them; in brackets stands how many of the broken"
                + " ones were kept in others."));
        return new ReportTable(table.title(), table.header(), table.rows(), notes);
    }

    /** Returns the results of the rules by chapter, with a column for each name. */
    static ReportTable conformance(Map<String, ConformanceResult> results) {
        List<String> header = new ArrayList<>(List.of("Chapter"));
        header.addAll(results.keySet());
        List<List<String>> rows = new ArrayList<>();
        for (Chapter chapter : Chapter.values()) {
            List<String> row = new ArrayList<>(List.of(chapter.number() + ". " + chapter.title()));
            results.values()
                    .forEach(result -> row.add(counts(result.chapter(chapter), result.brokenInSomeRounds(chapter))));
            if (!row.stream().skip(1).allMatch(""::equals)) {
                rows.add(row);
            }
        }
        if (!rows.isEmpty()) {
            List<String> row = new ArrayList<>(List.of("All"));
            results.values().forEach(result -> row.add(counts(result.all(), result.brokenInSomeRounds())));
            rows.add(row);
        }
        List<String> notes = new ArrayList<>(
                List.of("Rules of the contract that are kept / broken / skipped because their needs are not met."));
        // Reports that are older than this count have none.
        if (results.values().stream().anyMatch(result -> result.retries() != null)) {
            List<String> row = new ArrayList<>(List.of("Retries"));
            results.values().forEach(result -> row.add(Objects.toString(result.retries(), "")));
            rows.add(row);
            notes.add(RETRIES);
        }
        return new ReportTable("Conformance", header, rows, notes);
    }

    private static String counts(ConformanceResult.Count count, long brokenInSomeRounds) {
        return count.total() == 0
                ? ""
                : count.passed() + " / " + count.failed()
                        + (brokenInSomeRounds == 0 ? "" : " (" + brokenInSomeRounds + ")") + " / " + count.skipped();
    }

    private static List<String> counting(Report report) {
        return report.strategies().stream()
                .map(StrategyReport::counting)
                .filter(Objects::nonNull)
                .distinct()
                .map(counting -> "Commands: " + counting.explanation() + ".")
                .toList();
    }

    static List<String> intervals(Report report) {
        return report.repetitions() > 1
                ? List.of("Measured " + report.repetitions()
                        + " times, in rounds: the median, and in brackets the least and the most.")
                : List.of();
    }

    /** Returns the note of a table whose figures are those of all rounds, or of the first where there are no others. */
    static List<String> intervals(Report report, Function<StrategyReport, List<?>> runs, int settings) {
        return roundsOf(report, runs) > settings ? intervals(report) : firstRound(report);
    }

    /** Returns the note of a table whose figures are those of the first round, if there are several. */
    private static List<String> firstRound(Report report) {
        return report.repetitions() > 1 ? List.of("Measured once, in the first round.") : List.of();
    }

    static String rate(Interval interval) {
        return figure(interval, ReportTables::whole, "/s");
    }

    static String millis(Interval interval) {
        return figure(interval, value -> String.format(Locale.ROOT, "%.3f", value), " ms");
    }

    static String ratio(Interval interval) {
        return figure(interval, ReportTables::ratio, "");
    }

    static String bytes(Interval interval) {
        return figure(interval, ReportTables::whole, " B");
    }

    private static String figure(Interval interval, DoubleFunction<String> format, String unit) {
        String min = format.apply(interval.min());
        String max = format.apply(interval.max());
        return format.apply(interval.median()) + unit + (min.equals(max) ? "" : " (" + min + " to " + max + ")");
    }

    private static String whole(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    static String ratio(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
