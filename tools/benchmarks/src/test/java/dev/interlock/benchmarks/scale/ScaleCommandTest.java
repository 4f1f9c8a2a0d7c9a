// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.cli.ExitCodes;
import dev.interlock.tools.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScaleCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private int run(String... arguments) {
        return Main.run(new ScaleCommand(), new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    @Test
    void namesHeldAreMeasuredAndTheReportIsWrittenInBothForms() throws IOException {
        int exitCode = run(
                "--held",
                "20",
                "--waiters",
                "0",
                "--clients",
                "0",
                "--time",
                "100",
                "--lease",
                "1500",
                "--out",
                directory.toString());

        assertThat(exitCode).as(out.toString()).isEqualTo(ExitCodes.OK);
        assertThat(err.toString()).contains("[1/1] held 20: set-nx-px/interlock, single, lease 1500 ms");
        assertThat(out.toString())
                .contains("| set-nx-px/interlock | ", "client=interlock; ", "; fencing=true; ", "local-handoffs=16; ")
                .contains("## Names held by one client", "| pairs/s on names of their own | 1 server |")
                .doesNotContain("NOT MEASURED");
        assertThat(Files.readString(directory.resolve("scale.md"))).contains("## Names held by one client");
        assertThat(Files.readAllLines(directory.resolve("scale.csv")))
                .contains("candidate,topology,primaries,load,size,lease ms,figure,value,options")
                // A busy machine may lose some.
                .anyMatch(line -> line.startsWith("set-nx-px/interlock,single,1,held,20,1500,\"locks lost\","))
                .anyMatch(
                        line -> line.matches(
                                "set-nx-px/interlock,single,1,held,20,1500,\"server µs per pair\",[1-9][0-9.]+,\".*fencing=true.*\""));
    }

    @Test
    void rowsOfEarlierRunsAreReportedWithoutMeasuringThemAgain() throws IOException {
        Path earlier = Files.writeString(
                directory.resolve("earlier.csv"),
                String.join(
                        "\n",
                        "candidate,topology,primaries,load,size,lease ms,figure,value,options",
                        "some,single,1,held,10000,30000,\"server µs per pair\",70.0,\"fast=true\"",
                        "some,single,1,held,100000,30000,\"server µs per pair\",35.0,\"fast=true\""));

        int exitCode = run("--held", "0", "--waiters", "0", "--clients", "0", "--with", earlier.toString());

        assertThat(exitCode).as(err.toString()).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .containsOnlyOnce("| some | fast=true |")
                .contains(
                        "| some | held | 1 | 100,000 | 30 | server µs per pair | 70 | 35 | +100 % |",
                        "| pairs/s on names of their own | 1 server | 10,000 | server CPU |");
    }

    @Test
    @Tag("deep")
    void waitersAndClientsOfAClusterAreMeasuredToo() throws IOException {
        int exitCode = run(
                "--held",
                "20",
                "--waiters",
                "3",
                "--clients",
                "2",
                "--time",
                "300",
                "--topology",
                "cluster",
                "--out",
                directory.toString());

        assertThat(exitCode).as(out.toString()).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("| client JVMs | 100 nodes (50 primaries) |", "| client JVMs | 6 nodes (3 primaries) |")
                .doesNotContain("NOT MEASURED");
        assertThat(Files.readAllLines(directory.resolve("scale.csv")))
                .anyMatch(line -> line.contains("cluster,3,waiters-own-names,3,30000,\"hand-off p50 µs\""))
                .anyMatch(line -> line.contains("cluster,3,waiters-one-name,3,30000,\"hand-off p50 µs\""))
                .anyMatch(line -> line.contains("cluster,3,clients-one-name,2,30000,\"hand-off p50 µs\""));
    }

    @Test
    void whatCannotBeMeasuredIsAnError() {
        assertThat(run("--candidate", "nobody")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--candidate: there is no \"nobody\"; there are ");

        assertThat(run("--topology", "ring")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--topology: there is no \"ring\"; there are single, cluster");

        assertThat(run("--time", "0")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--time is 0: it must be at least 1");

        assertThat(run("--held", "0", "--waiters", "0", "--clients", "0")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("there is nothing to measure");

        assertThat(run("--candidate", "redlock", "--topology", "cluster")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("there is nothing to measure");
    }
}
