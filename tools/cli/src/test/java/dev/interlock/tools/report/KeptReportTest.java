// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import dev.interlock.tools.conformance.RuleVerdict;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The report of a full run that is kept in the documentation. */
class KeptReportTest {
    private static final Path DIRECTORY = Path.of("../../docs/report");
    private static final boolean WRITE = Boolean.getBoolean("interlock.pages.write");
    private static final String AGAIN =
            "the page is made of report.json: -Dinterlock.pages.write=true makes it again, and CONTRIBUTING.md says how"
                    + " the report itself is made anew";

    private final String json = read("report.json");
    private final Report report = new Gson().fromJson(json, Report.class);

    private static String read(String name) {
        try {
            return Files.readString(DIRECTORY.resolve(name));
        } catch (IOException e) {
            throw new AssertionError(name, e);
        }
    }

    private static void assertKept(String name, String rendered) throws IOException {
        if (WRITE) {
            Files.writeString(DIRECTORY.resolve(name), rendered);
        }
        assertThat(rendered.equals(read(name))).as("%s: %s", name, AGAIN).isTrue();
    }

    @Test
    void itIsAsTheSchemaSays() {
        assertThat(PublishedSchema.problems(json)).isEmpty();
    }

    @Test
    void itHasAllPartsAndTheLocksOfOtherLibraries() {
        assertThat(report.omitted()).noneMatch(sentence -> sentence.contains("left out"));
        assertThat(report.faults()).isNotNull();
        assertThat(report.strategies()).allSatisfy(strategy -> {
            assertThat(strategy.failure()).isNull();
            assertThat(strategy.conformance()).isNotNull();
            assertThat(strategy.uncontended()).isNotNull();
            assertThat(strategy.roundTrips()).isNotEmpty();
        });
        assertThat(report.strategies()).anyMatch(strategy -> strategy.peer() != null);
        assertThat(report.repetitions()).isGreaterThan(1);
    }

    /** What the page says of other libraries as found here must be found in the report itself. */
    @Test
    void itsRulesAndFaultsShowWhatItSaysOfOtherLibraries() {
        for (StrategyReport strategy : report.strategies()) {
            if (strategy.peer() != null && strategy.peer().findings() != null) {
                List<String> broken = strategy.conformance().failed().stream()
                        .map(RuleVerdict::id)
                        .toList();
                List<String> harmful = report.faults().strategies().stream()
                        .filter(row -> row.name().equals(strategy.name()))
                        .flatMap(row -> row.cells().stream())
                        .filter(cell -> cell.verdict() != null && cell.verdict() != CellVerdict.SAFE)
                        .map(LabCell::fault)
                        .toList();
                strategy.peer().findings().forEach(finding -> {
                    assertThat(broken).as("%s: %s", strategy.name(), finding).containsAll(finding.rules());
                    assertThat(harmful).as("%s: %s", strategy.name(), finding).containsAll(finding.faults());
                });
            }
        }
    }

    /** The table of faults may be newer than the report, which takes an hour to make. */
    @Test
    void thePageOfTheFaultLabSaysHowOldItIsAndWhatItLacksOfTheTable() throws IOException {
        Set<String> faults =
                report.faults().faults().stream().map(FaultReport.Fault::id).collect(Collectors.toSet());
        Map<String, Map<String, LabCell>> rows = report.faults().strategies().stream()
                .collect(Collectors.toMap(
                        FaultReport.Row::label,
                        row -> row.cells().stream().collect(Collectors.toMap(LabCell::fault, Function.identity()))));
        Map<String, Set<String>> sentences = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("../../docs/fault-table.tsv"))) {
            if (!line.startsWith("#")) {
                String[] fields = line.split("\t");
                gap(fields[0], fields[1], fields[2], faults, rows)
                        .ifPresent(gap -> sentences
                                .computeIfAbsent(gap.getKey(), first -> new LinkedHashSet<>())
                                .add("`" + gap.getValue() + "`"));
            }
        }

        assertThat(Files.readString(Path.of("../../docs/fault-lab.md")).replaceAll("\\s+", " "))
                .contains("is of " + report.finishedAt().substring(0, 10) + " and commit `" + report.commit() + "`")
                .contains(sentences.entrySet().stream()
                        .map(sentence -> sentence.getKey() + String.join(", ", sentence.getValue()) + ".")
                        .collect(Collectors.joining(" ")));
    }

    /** Returns the beginning of a sentence about a cell that the report lacks, and the name for the list at its end. */
    private static Optional<Map.Entry<String, String>> gap(
            String strategy, String fault, String verdict, Set<String> faults, Map<String, Map<String, LabCell>> rows) {
        if (!faults.contains(fault)) {
            return Optional.of(Map.entry("It lacks the faults ", fault));
        }
        if (!rows.containsKey(strategy)) {
            return Optional.of(Map.entry("It lacks the column ", strategy));
        }
        LabCell cell = rows.get(strategy).get(fault);
        if (cell.verdict() == null) {
            return cell.outcome() == LabCell.Outcome.DOES_NOT_APPLY
                    ? Optional.empty()
                    : Optional.of(Map.entry("It has no verdict for ", fault));
        }
        if (verdict.equals("does-not-apply")) {
            return Optional.of(Map.entry("It has verdicts where a fault does not apply: ", fault));
        }
        return cell.verdict().name().equalsIgnoreCase(verdict)
                ? Optional.empty()
                : Optional.of(Map.entry("It has other verdicts for `" + strategy + "` under ", fault));
    }

    @Test
    void itsPagesAreMadeOfItsFigures() throws IOException {
        assertKept("report.html", HtmlRenderer.render(report));
        assertKept("report.md", MarkdownRenderer.render(report, ReportTables.of(report)));
    }
}
