// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static dev.interlock.tools.report.PublishedSchema.problems;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.certificate.Certificate;
import dev.interlock.conformance.certificate.RuleOutcome;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.conformance.ConformanceReport;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The published schema says what the files of the tools hold. */
class ReportSchemaTest {
    @Test
    void aReportWithAllPartsIsAsTheSchemaSays() throws Exception {
        assertThat(problems(JsonRenderer.render(SampleReport.report()))).isEmpty();
    }

    @Test
    void aComparisonIsAsTheSchemaSays() throws Exception {
        assertThat(problems(JsonRenderer.render(RenderersTest.REPORT))).isEmpty();
    }

    @Test
    void theFindingsOfTheFaultLabAreAsTheSchemaSays() throws Exception {
        assertThat(problems(JsonRenderer.render(Objects.requireNonNull(RenderersTest.REPORT.faults()))))
                .isEmpty();
    }

    @Test
    void theFindingsOfTheKitAreAsTheSchemaSays() throws Exception {
        ConformanceReport report = new ConformanceReport(
                ConformanceReport.SCHEMA_VERSION,
                "2026-11-21T12:00:00Z",
                "0.1",
                Machine.here(),
                List.of(new ConformanceReport.Entry(
                        "first",
                        Map.of("wakeup", "queue"),
                        "first",
                        "7.2.4",
                        1,
                        RenderersTest.REPORT.strategies().get(0).conformance(),
                        null)));

        assertThat(problems(JsonRenderer.render(report))).isEmpty();
    }

    @Test
    void theCertificateOfTheKitIsAsTheSchemaSays() {
        List<RuleOutcome> rules = List.of(
                new RuleOutcome(1, 1, "aRule", RuleOutcome.Result.KEPT, ""),
                new RuleOutcome(1, 2, "aRule", RuleOutcome.Result.BROKEN, "a \"reason\""),
                new RuleOutcome(1, 3, "aRule", RuleOutcome.Result.SKIPPED, "needs another"),
                new RuleOutcome(2, 1, "aRule", RuleOutcome.Result.NOT_RUN, ""));
        String json = new Certificate(
                        "a lock",
                        "PlainLockConformance",
                        "2026-11-21T12:00:00Z",
                        Map.of("Java", "17"),
                        Map.of("client", "interlock"),
                        rules,
                        List.of("Performance."))
                .json();

        assertThat(problems(json)).isEmpty();
        assertThat(problems(json.replace("\"KEPT\"", "\"HELD\""))).isNotEmpty();
        assertThat(problems(json.replace("\"schemaVersion\"", "\"format\""))).isNotEmpty();
    }

    @Test
    void aFileOfNoKindOrWithAnotherFieldIsNotAsTheSchemaSays() throws Exception {
        assertThat(problems("{}")).isNotEmpty();
        assertThat(problems(JsonRenderer.render(RenderersTest.REPORT).replaceFirst("\"machine\"", "\"engine\"")))
                .isNotEmpty();
    }
}
