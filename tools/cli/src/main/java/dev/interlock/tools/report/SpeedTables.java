// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.measure.Contention;
import dev.interlock.tools.measure.Footprint;
import dev.interlock.tools.measure.RoundTrip;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
                row.add(ReportTables.whole(result.acquisitionsPerSecond()) + "/s, "
                        + ReportTables.ratio(result.commandsPerAcquisition()));
            }
            rows.add(row);
        }
        return new ReportTable(
                "Growth: acquisitions of one lock, and commands for each, by more and more clients",
                header,
                rows,
                ReportTables.firstRound(report));
    }

    static ReportTable roundTrips(Report report) {
        List<List<String>> rows = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            for (RoundTrip roundTrip : strategy.roundTrips()) {
                rows.add(List.of(
                        strategy.name(),
                        String.format(Locale.ROOT, "%.1f ms", roundTrip.millis()),
                        ReportTables.millis(roundTrip.uncontended().p50Millis()),
                        ReportTables.millis(roundTrip.uncontended().p99Millis()),
                        ReportTables.whole(roundTrip.contended().acquisitionsPerSecond()) + "/s"));
            }
        }
        return new ReportTable(
                "Over a network",
                List.of("Strategy", "Round trip", "p50", "p99", "Acquisitions by 4 clients"),
                rows,
                with(
                        "p50 and p99: an uncontended lock and unlock. A proxy in front of each server holds each reply"
                                + " back.",
                        ReportTables.firstRound(report)));
    }

    static ReportTable memory(Report report) {
        List<List<String>> rows = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (StrategyReport strategy : report.strategies()) {
            Footprint.Result result = strategy.footprint();
            if (result != null) {
                rows.add(List.of(
                        strategy.name(),
                        bytes(result.heapBytesPerLock()),
                        result.serverBytesPerLock() == null ? "-" : bytes(result.serverBytesPerLock()),
                        bytes(result.allocatedBytesPerPair())));
                notes = with(
                        "With " + ReportTables.whole(result.held())
                                + " locks held at once, by all servers together. Allocated: by all threads of the"
                                + " client, for an uncontended lock and unlock.",
                        ReportTables.firstRound(report));
            }
        }
        return new ReportTable(
                "Memory",
                List.of("Strategy", "Client's heap per held lock", "Servers per held lock", "Allocated per pair"),
                rows,
                notes);
    }

    private static List<String> with(String note, List<String> more) {
        return Stream.concat(Stream.of(note), more.stream()).toList();
    }

    private static String bytes(double value) {
        return ReportTables.whole(value) + " B";
    }
}
