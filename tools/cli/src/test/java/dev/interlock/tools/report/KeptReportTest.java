// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import dev.interlock.tools.conformance.RuleVerdict;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.LabCell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    @Test
    void itsPagesAreMadeOfItsFigures() throws IOException {
        assertKept("report.html", HtmlRenderer.render(report));
        assertKept("report.md", MarkdownRenderer.render(report, ReportTables.of(report)));
    }
}
