// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import dev.interlock.tools.lab.LabCell.Outcome;
import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.play.LabFault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Creates tables from a {@link FaultReport}. */
final class FaultTables {
    private static final String NONE = "-";

    /** The faults after which somebody else must wait for the lock. */
    private static final Set<String> RECOVERED_FROM = Stream.of(
                    LabFault.KILLED,
                    LabFault.CUT,
                    LabFault.CUT_REPLIES,
                    LabFault.REDIS_STALLED,
                    LabFault.RESTART_LATER,
                    LabFault.FAILOVER_WAIT,
                    LabFault.KILLED_ACQUIRING,
                    LabFault.KILLED_RENEWING,
                    LabFault.KILLED_RELEASING,
                    LabFault.OUT_OF_MEMORY,
                    LabFault.READ_ONLY,
                    LabFault.LOADING,
                    LabFault.MAJORITY_DEAD,
                    LabFault.SENTINEL_FAILOVER,
                    LabFault.CLUSTER_FAILOVER)
            .map(LabFault::id)
            .collect(Collectors.toUnmodifiableSet());

    private FaultTables() {}

    static List<ReportTable> of(FaultReport report) {
        List<ReportTable> tables = new ArrayList<>();
        tables.add(verdicts("Faults", report, false));
        tables.add(recovery(report));
        tables.add(verdicts("Faults: specimens of locks that are known to be broken, as a warning", report, true));
        return tables;
    }

    private static ReportTable verdicts(String title, FaultReport report, boolean specimens) {
        List<FaultReport.Row> strategies = report.strategies().stream()
                .filter(row -> row.specimen() == specimens)
                .toList();
        List<String> header = new ArrayList<>(List.of("Fault"));
        strategies.forEach(row -> header.add(row.label()));
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < report.faults().size() && !strategies.isEmpty(); i++) {
            int column = i;
            List<String> row = new ArrayList<>(List.of(report.faults().get(i).id()));
            strategies.forEach(strategy -> row.add(word(strategy.cells().get(column), !strategy.peer())));
            // Faults of several servers do not concern locks on one.
            if (!row.stream().skip(1).allMatch(word(Outcome.DOES_NOT_APPLY)::equals)) {
                rows.add(row);
            }
        }
        return new ReportTable(title, header, rows, notes(strategies));
    }

    /** How long it takes until somebody has the lock again. */
    static ReportTable recovery(FaultReport report) {
        List<FaultReport.Row> strategies =
                report.strategies().stream().filter(row -> !row.specimen()).toList();
        List<String> header = new ArrayList<>(List.of("Fault"));
        strategies.forEach(row -> header.add(row.label()));
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < report.faults().size(); i++) {
            int column = i;
            String fault = report.faults().get(i).id();
            if (RECOVERED_FROM.contains(fault)) {
                List<String> row = new ArrayList<>(List.of(fault));
                strategies.forEach(strategy -> row.add(recovery(strategy.cells().get(column))));
                if (row.stream().skip(1).anyMatch(cell -> !cell.equals(NONE))) {
                    rows.add(row);
                }
            }
        }
        return new ReportTable(
                "Recovery: from the fault to the next grant to another client",
                header,
                rows,
                List.of("The lease is " + seconds(report.leaseMillis())
                        + "; a dead holder's lock is not free before its lease is over. \"before\": the next client had the lock"
                        + " already when the fault struck. \"never\" is within the time that the lab looked."));
    }

    private static String recovery(LabCell cell) {
        Evidence evidence = cell.evidence();
        if (evidence == null) {
            return NONE;
        }
        if (evidence.nextHolderMillis() == null) {
            return evidence.unserved() ? "never" : "before";
        }
        return seconds(evidence.nextHolderMillis());
    }

    /** A cell in a word or two. */
    static String word(LabCell cell, boolean ours) {
        if (cell.verdict() == null) {
            return word(cell.outcome());
        }
        Evidence evidence = Objects.requireNonNull(cell.evidence(), "what was played has evidence");
        String word = cell.verdict().word();
        if (cell.verdict() == CellVerdict.BLOCKED) {
            word += (evidence.unserved() ? " >" : " ") + seconds(evidence.nobodyMillis());
        }
        return word + (ours && cell.undeclared() ? " !" : cell.knownDefect() ? " (known defect)" : "");
    }

    private static String word(Outcome outcome) {
        return switch (outcome) {
            case PLAYED -> "played";
            case DOES_NOT_APPLY -> "-";
            case NOT_RUN -> "not run";
            case FAILED -> "FAILED";
        };
    }

    static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    private static List<String> notes(List<FaultReport.Row> strategies) {
        List<String> notes = new ArrayList<>();
        List<LabCell> cells =
                strategies.stream().flatMap(row -> row.cells().stream()).toList();
        Arrays.stream(CellVerdict.values())
                .filter(verdict -> cells.stream().anyMatch(cell -> cell.verdict() == verdict))
                .forEach(verdict -> notes.add(verdict.word() + ": " + verdict.meaning() + "."));
        boolean undeclared = strategies.stream()
                .filter(row -> !row.peer())
                .flatMap(row -> row.cells().stream())
                .anyMatch(LabCell::undeclared);
        if (undeclared) {
            notes.add("!: the profile does not declare it, and the fault does not excuse it.");
        }
        cells.stream()
                .filter(cell -> cell.outcome() == Outcome.NOT_RUN)
                .map(cell -> cell.fault() + " was not run: it " + cell.reason() + ".")
                .distinct()
                .forEach(notes::add);
        strategies.stream().filter(FaultReport.Row::peer).forEach(row -> notes.addAll(failures(row)));
        strategies.forEach(row -> notes.addAll(ReportTables.options(row.label(), row.options())));
        return notes;
    }

    /** What the lock of another library could not play to its end: nothing that is wrong with ours. */
    private static List<String> failures(FaultReport.Row peer) {
        Map<String, List<String>> faults = new LinkedHashMap<>();
        peer.cells().stream()
                .filter(cell -> cell.outcome() == Outcome.FAILED)
                .forEach(cell -> faults.computeIfAbsent(String.valueOf(cell.reason()), reason -> new ArrayList<>())
                        .add(cell.fault()));
        List<String> notes = new ArrayList<>();
        faults.forEach((reason, of) ->
                notes.add(peer.label() + " did not get through " + String.join(", ", of) + ": " + reason + "."));
        return notes;
    }
}
