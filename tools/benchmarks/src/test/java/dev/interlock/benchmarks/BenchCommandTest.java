// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.cli.ExitCodes;
import dev.interlock.tools.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private int run(String... arguments) {
        return Main.run(new BenchCommand(), new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    @Test
    void theReportIsPrintedAndWrittenInBothForms() throws IOException {
        int exitCode = run(
                "--scenario",
                "one-thread",
                "--candidate",
                "raw-jedis,set-nx-px/jedis/fencing=false",
                "--seconds",
                "1",
                "--rounds",
                "2",
                "--out",
                directory.toString());

        assertThat(err.toString()).contains("[4/4] one-thread: raw-jedis");
        assertThat(exitCode).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("## 1 thread: lock and unlock", "| set-nx-px/jedis/fencing=false |", "| raw-jedis |", " to ")
                .doesNotContain("FAILED");
        assertThat(Files.readString(directory.resolve("bench.md"))).isEqualTo(out.toString());
        assertThat(Files.readAllLines(directory.resolve("bench.csv")))
                .contains("scenario,candidate,figure,median,min,max,times Redisson,times raw")
                .anyMatch(line -> line.matches("one-thread,raw-jedis,pairs/s,[0-9.]+,[0-9.]+,[0-9.]+,,1\\.0"));
    }

    @Test
    void unknownNamesAreAnsweredWithThoseThatThereAre() {
        assertThat(run("--scenario", "nothing")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString())
                .contains("--scenario: there is no \"nothing\"", "one-thread", "Try: interlock bench --help");

        assertThat(run("--candidate", "redis")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--candidate: there is no \"redis\"", "set-nx-px/lettuce", "spring-pubsub");
    }

    @Test
    void aTimeThatMeasuresNothingIsAnError() {
        assertThat(run("--seconds", "0")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--seconds is 0: it must be at least 1");
    }

    @Test
    void helpExplainsTheOptionsAndTheExitCodes() {
        assertThat(run("--help")).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("Usage: interlock bench", "--scenario", "--candidate", "--engine", "updates were lost");
    }
}
