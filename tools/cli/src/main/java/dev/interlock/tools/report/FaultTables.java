// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import dev.interlock.tools.lab.LabCell.Outcome;
import dev.interlock.tools.lab.evidence.Evidence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Makes tables of a {@link FaultReport}. */
final class FaultTables {
    private FaultTables() {}

    static List<ReportTable> of(FaultReport report) {
        List<ReportTable> tables = new ArrayList<>();
        tables.add(verdicts("Faults", report, false));
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
            strategies.forEach(strategy -> row.add(word(strategy.cells().get(column))));
            // What happens to several servers only is no news of locks on one.
            if (!row.stream().skip(1).allMatch(word(Outcome.DOES_NOT_APPLY)::equals)) {
                rows.add(row);
            }
        }
        return new ReportTable(title, header, rows, notes(strategies));
    }

    /** A cell in a word or two. */
    static String word(LabCell cell) {
        if (cell.verdict() == null) {
            return word(cell.outcome());
        }
        Evidence evidence = Objects.requireNonNull(cell.evidence(), "what was played has evidence");
        String word = cell.verdict().word();
        if (cell.verdict() == CellVerdict.BLOCKED) {
            word += (evidence.unserved() ? " >" : " ") + seconds(evidence.nobodyMillis());
        }
        return word + (cell.undeclared() ? " !" : cell.knownDefect() ? " (known defect)" : "");
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
        if (cells.stream().anyMatch(LabCell::undeclared)) {
            notes.add("!: the profile does not declare it, and the fault does not excuse it.");
        }
        cells.stream()
                .filter(cell -> cell.outcome() == Outcome.NOT_RUN)
                .map(cell -> cell.fault() + " was not run: it " + cell.reason() + ".")
                .distinct()
                .forEach(notes::add);
        strategies.forEach(row -> notes.addAll(ReportTables.options(row.label(), row.options())));
        return notes;
    }
}
