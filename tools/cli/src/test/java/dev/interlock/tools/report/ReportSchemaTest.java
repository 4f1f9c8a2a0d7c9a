// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.conformance.ConformanceReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The published schema says what the files of the tools hold. */
class ReportSchemaTest {
    private static final Path SCHEMA = Path.of("../../docs/report.schema.json");
    private static final Path KEPT = Path.of("../../docs/report/report.json");

    /** The problems of a file, where fields that the schema does not describe are problems too. */
    private static Set<ValidationMessage> problems(String json) throws Exception {
        JsonElement schema = JsonParser.parseString(Files.readString(SCHEMA));
        close(schema);
        JsonSchema strict = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema.toString());
        return strict.validate(json, InputFormat.JSON);
    }

    /** Allows no other fields than those that are described. */
    private static void close(JsonElement element) {
        if (element.isJsonArray()) {
            element.getAsJsonArray().forEach(ReportSchemaTest::close);
        } else if (element.isJsonObject()) {
            JsonObject object = element.getAsJsonObject();
            object.entrySet().forEach(field -> close(field.getValue()));
            if (object.has("properties") && object.has("description") && !object.has("$defs")) {
                object.addProperty("additionalProperties", false);
            }
        }
    }

    @Test
    void theKeptReportIsAsTheSchemaSays() throws Exception {
        String kept = Files.readString(KEPT);
        assumeTrue(ReportPageTest.isOfThisForm(kept), "the kept report is of an older form: make it anew");
        assertThat(problems(kept)).isEmpty();
    }

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
                        RenderersTest.REPORT.strategies().get(0).conformance(),
                        null)));

        assertThat(problems(JsonRenderer.render(report))).isEmpty();
    }

    @Test
    void aFileOfNoKindOrWithAnotherFieldIsNotAsTheSchemaSays() throws Exception {
        assertThat(problems("{}")).isNotEmpty();
        assertThat(problems(JsonRenderer.render(RenderersTest.REPORT).replaceFirst("\"machine\"", "\"engine\"")))
                .isNotEmpty();
    }
}
