// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.Footprint;
import dev.interlock.tools.measure.RoundTrip;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Creates the tables of how costs grow: with clients, with the distance of the servers, and with the number of locks.
 */
final class SpeedTables {
    private SpeedTables() {}

    static ReportTable fairness(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            for (Contention.Result result : strategy.contended()) {
                List<Contention.Result> runs = strategy.runsOf(result);
                rows.add(List.of(
                        strategy.name(),
                        ReportTables.contenders(result),
                        ReportTables.ratio(Interval.of(runs, Contention.Result::fairness)),
                        ReportTables.ratio(Interval.of(runs, Contention.Result::leastShare))));
            }
        }
        return new ReportTable(
                "Fairness",
                List.of("Strategy", "Contenders", "Fairness", "Least share"),
                rows,
                with(
                        "Fairness is Jain's index of the contenders' shares: 1 if all had the same, 1/n if one of n"
                                + " had everything. The least share is that of the contender who got least, where 1 is as"
                                + " much as the others.",
                        ReportTables.intervals(report)));
    }

    static ReportTable growth(Report report) {
        List<StrategyReport> measured = report.strategies().stream()
                .filter(strategy -> !strategy.growth().isEmpty())
                .toList();
        List<String> header = new ArrayList<>(List.of("Strategy"));
        List<List<String>> rows = new ArrayList<>();
        if (!measured.isEmpty()) {
            measured.get(0)
                    .growth()
                    .forEach(result -> header.add(result.clients() == 1 ? "1 client" : result.clients() + " clients"));
        }
        for (StrategyReport strategy : measured) {
            List<String> row = new ArrayList<>(List.of(strategy.name()));
            for (Contention.Result result : strategy.growth()) {
                List<Contention.Result> runs = strategy.growthRunsOf(result);
                row.add(ReportTables.rate(Interval.of(runs, Contention.Result::acquisitionsPerSecond)) + ", "
                        + ReportTables.ratio(Interval.of(runs, Contention.Result::commandsPerAcquisition)));
            }
            rows.add(row);
        }
        return new ReportTable(
                "Growth: acquisitions of one lock, and commands for each, by more and more clients",
                header,
                rows,
                ReportTables.intervals(report, StrategyReport::growthRuns, header.size() - 1));
    }

    static ReportTable roundTrips(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            for (RoundTrip roundTrip : strategy.roundTrips()) {
                List<RoundTrip> runs = strategy.roundTripRunsOf(roundTrip);
                rows.add(List.of(
                        strategy.name(),
                        String.format(Locale.ROOT, "%.1f ms", roundTrip.millis()),
                        ReportTables.millis(
                                Interval.of(runs, run -> run.uncontended().p50Millis())),
                        ReportTables.millis(
                                Interval.of(runs, run -> run.uncontended().p99Millis())),
                        ReportTables.rate(
                                Interval.of(runs, run -> run.contended().acquisitionsPerSecond()))));
            }
        }
        return new ReportTable(
                "Over a network",
                List.of("Strategy", "Round trip", "p50", "p99", "Acquisitions by 4 clients"),
                rows,
                with(
                        "p50 and p99: an uncontended lock and unlock. A proxy in front of each server holds each reply"
                                + " back.",
                        ReportTables.intervals(
                                report, StrategyReport::roundTripRuns, roundTrips(report.strategies()))));
    }

    private static int roundTrips(List<StrategyReport> strategies) {
        return strategies.stream()
                .mapToInt(strategy -> strategy.roundTrips().size())
                .max()
                .orElse(0);
    }

    static ReportTable memory(Report report) {
        List<List<String>> rows = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            List<Footprint.Result> runs = strategy.footprintRuns();
            if (!runs.isEmpty()) {
                rows.add(List.of(
                        strategy.name(),
                        heap(runs),
                        servers(runs),
                        ReportTables.bytes(Interval.of(runs, Footprint.Result::allocatedBytesPerPair))));
                notes = memoryNotes(report, runs.get(0));
            }
        }
        return new ReportTable(
                "Memory",
                List.of("Strategy", "Client's heap per held lock", "Servers per held lock", "Allocated per pair"),
                rows,
                notes);
    }

    private static List<String> memoryNotes(Report report, Footprint.Result result) {
        String held = "With " + ReportTables.whole(result.held()) + " locks held at once, by all servers together.";
        String allocated = "Allocated: by all threads of the client, for an uncontended lock and unlock.";
        List<String> notes = new ArrayList<>(List.of(held + " " + allocated));
        if (result.heapNoiseBytesPerLock() != null) {
            notes.add("The client has a JVM of its own, and its locks are used as its library hands them out, without"
                    + " the adapters of these tools. Its heap is that of the live objects, with the name of each lock;"
                    + " a heap that is not above what changes by itself is given as \"below\". Servers: what MEMORY"
                    + " USAGE says of the keys.");
        } else {
            notes.add("These figures are unreliable: the heap of few locks was measured once, beside other clients, and"
                    + " servers with the buffers of their connections.");
        }
        notes.addAll(ReportTables.intervals(report, StrategyReport::footprintRuns, 1));
        return notes;
    }

    /** What was measured of the heap in several rounds, or the bound that noise leaves. */
    static String heap(List<Footprint.Result> runs) {
        Interval heap = Interval.of(runs, Footprint.Result::heapBytesPerLock);
        if (runs.stream().allMatch(Footprint.Result::isHeapMeasured)) {
            return ReportTables.bytes(heap);
        }
        double most = runs.stream().mapToDouble(SpeedTables::mostHeap).max().orElse(0);
        return most == 0 ? "-" : "below " + ReportTables.whole(Math.ceil(most)) + " B";
    }

    private static double mostHeap(Footprint.Result run) {
        return Math.max(0, run.heapBytesPerLock())
                + (run.heapNoiseBytesPerLock() == null ? 0 : run.heapNoiseBytesPerLock());
    }

    private static String servers(List<Footprint.Result> runs) {
        boolean measured =
                runs.stream().allMatch(run -> run.serverBytesPerLock() != null && run.serverBytesPerLock() > 0);
        return measured
                ? ReportTables.bytes(Interval.of(runs, run -> Objects.requireNonNull(run.serverBytesPerLock())))
                : "-";
    }

    private static List<String> with(String note, List<String> more) {
        return Stream.concat(Stream.of(note), more.stream()).toList();
    }
}
