// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
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

    @BeforeEach
    void requirePresentForm() {
        assumeTrue(
                report.schemaVersion() == Report.SCHEMA_VERSION,
                "the kept report is of an older form: make it anew as CONTRIBUTING.md says");
    }

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

    @Test
    void itsPagesAreMadeOfItsFigures() throws IOException {
        assertKept("report.html", HtmlRenderer.render(report));
        assertKept("report.md", MarkdownRenderer.render(report, ReportTables.of(report)));
    }
}
