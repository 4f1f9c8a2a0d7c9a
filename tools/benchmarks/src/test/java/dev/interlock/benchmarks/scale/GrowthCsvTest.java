// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.backends.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrowthCsvTest {
    @TempDir
    Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("scale.csv"), text);
    }

    @Test
    void thePageOnFormsHasItsColumns() throws IOException {
        assertThat(Files.readString(Path.of("../../docs/report-format.md")))
                .contains("`" + GrowthCsv.write(List.of()).strip() + "`");
    }

    @Test
    void rowsAreReadAsTheyWereWritten() throws IOException {
        List<GrowthRow> rows = List.of(
                new GrowthRow(
                        "set-nx-px/interlock",
                        "client=interlock; fencing=true, always",
                        Topology.CLUSTER,
                        3,
                        GrowthLoad.HELD,
                        1_000,
                        Duration.ofSeconds(30),
                        Map.of(GrowthMetric.SERVER_CPU, 0.5, GrowthMetric.SERVER_BYTES_LEFT, 170.25)),
                new GrowthRow(
                        "redlock",
                        "",
                        Topology.SINGLE_SERVERS,
                        5,
                        GrowthLoad.CLIENTS_ONE_NAME,
                        4,
                        Duration.ofMillis(1_500),
                        Map.of(GrowthMetric.RATE, 1e7)));

        assertThat(GrowthCsv.read(file(GrowthCsv.write(rows)))).isEqualTo(rows);
    }

    @Test
    void somethingElseIsAnError() throws IOException {
        assertThatThrownBy(() -> GrowthCsv.read(directory.resolve("missing.csv")))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("cannot read");
        Path other = file("a,b\n1,2\n");
        assertThatThrownBy(() -> GrowthCsv.read(other))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("is not a scale.csv");
        Path broken = file(GrowthCsv.write(List.of()) + "single,1\n");
        assertThatThrownBy(() -> GrowthCsv.read(broken))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("has a line that cannot be read: single,1");
    }
}
