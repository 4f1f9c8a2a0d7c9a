// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.interlock.benchmarks.candidates.Candidates;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.tools.cli.ExitCodes;
import dev.interlock.tools.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
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
        String options = Candidates.all().stream()
                .filter(candidate -> candidate.name().equals("set-nx-px/jedis/fencing=false"))
                .findFirst()
                .orElseThrow()
                .effectiveOptions();
        assertThat(out.toString()).contains("| set-nx-px/jedis/fencing=false | " + options + " |");
        assertThat(Files.readString(directory.resolve("bench.md"))).isEqualTo(out.toString());
        List<String> lines = Files.readAllLines(directory.resolve("bench.csv"));
        assertThat(Files.readString(Path.of("../../docs/report-format.md"))).contains("`" + lines.get(0) + "`");
        assertThat(lines)
                .startsWith(
                        "scenario,topology,rtt,candidate,figure,median,min,max,times Redisson,times raw,times raw-blpop,times redisson-redlock,options")
                .anyMatch(line -> line.matches(
                        "one-thread,single,loopback,raw-jedis,\"pairs/s\",[0-9.]+,[0-9.]+,[0-9.]+,,1\\.0,,,\"\""))
                .anyMatch(line ->
                        line.startsWith("one-thread,single,loopback,raw-jedis,\"CPU µs per acquisition, both\","))
                .anyMatch(line -> line.endsWith(",\"" + options + "\""));
    }

    @Test
    @Tag("deep")
    void networksAndTopologiesStandSideBySideAndWhoDoesNotRunThereIsLeftOutWithTheReason() throws IOException {
        int exitCode = run(
                "--scenario",
                "one-thread",
                "--candidate",
                "set-nx-px/jedis/fencing=false,redisson-redlock",
                "--rtt",
                "2ms",
                "--topology",
                "cluster,single",
                "--seconds",
                "1",
                "--rounds",
                "1",
                "--out",
                directory.toString());

        assertThat(err.toString())
                .contains("[6/6] one-thread: redisson-redlock, rtt 2ms")
                .contains("one-thread: set-nx-px/jedis/fencing=false, cluster, rtt 2ms")
                .doesNotContain("one-thread: redisson-redlock, cluster");
        assertThat(exitCode).as(out.toString()).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains(
                        "Left out of cluster: redisson-redlock (it is a lock over 5 servers that are independent",
                        "| 2ms | ",
                        "pairs/s side by side\n\n| candidate | loopback | × Redisson | rtt 2ms | × Redisson | cluster |",
                        "## 1 thread: lock and unlock: cluster, rtt 2ms",
                        "| candidate | pairs/s | × Redisson | × raw | × redisson-redlock | p50 µs |")
                .doesNotContain("FAILED");
        List<String> lines = Files.readAllLines(directory.resolve("bench.csv"));
        assertThat(lines)
                .anyMatch(line ->
                        line.matches("one-thread,single,2ms,redisson-redlock,\"pairs/s\",([0-9.]+,){3},,,1\\.0,.*"))
                .noneMatch(line -> line.matches("one-thread,cluster,[^,]+,redisson-redlock,.*"));
        String median = "one-thread,cluster,2ms,set-nx-px/jedis/fencing=false,\"p50 µs\",";
        assertThat(lines.stream().filter(line -> line.startsWith(median)).findFirst())
                .hasValueSatisfying(line -> assertThat(Double.parseDouble(
                                line.substring(median.length()).split(",", -1)[0]))
                        .as("two commands, each with its round trip, in the cluster too")
                        .isGreaterThanOrEqualTo(4_000));
    }

    @Test
    void aRoundTripOrTopologyThatCannotBeUsedIsAnError() {
        assertThat(run("--rtt", "1ms,5")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--rtt: \"5\" is no time: write one such as 0.2ms");

        assertThat(run("--rtt", "200ms")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--rtt: \"200ms\" is more than 100ms");

        assertThat(run("--topology", "ring")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--topology: there is no \"ring\"; there are single, sentinels, cluster");

        assertThat(run("--topology", "single,sentinels", "--candidate", "redlock"))
                .isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString())
                .contains("--topology: Left out of sentinels: redlock/interlock, ", "(the strategy runs on 5 servers");

        assertThat(run("--engine", "--rtt", "1ms")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--engine uses no Redis: leave --rtt and --topology out");

        assertThat(run("--engine", "--pin")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--engine has no servers to share a core with: leave --pin out");
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void aScenarioThatThisJvmCannotRunIsLeftOutWithTheReason() {
        String reason = "Left out: very-many-virtual-threads (it needs virtual threads, which this JVM (Java "
                + Runtime.version().feature() + ") does not have: run it with Java 21 or newer).";

        assertThat(run("--scenario", "very-many-virtual-threads")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("--scenario: " + reason);

        assertThat(run(
                        "--scenario",
                        "very-many-virtual-threads,one-name-clients",
                        "--candidate",
                        "raw-blpop",
                        "--seconds",
                        "1",
                        "--rounds",
                        "1"))
                .isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains(reason, "| hand-offs/s | × Redisson | × raw | × raw-blpop |")
                .containsPattern("\\| raw-blpop \\| [0-9,.]+ \\| - \\| - \\| 1 \\|");
    }

    @Test
    @Tag("deep")
    void clientsAndServersShareOneCoreIfTheUserSaysSo() throws InterruptedException {
        assumeThat(Path.of("/usr/bin/taskset"))
                .as("absent: taskset: the program that pins")
                .exists();
        List<String> lines = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        // This JVM would stay on that core.
        try (ChildJvm child = ChildJvm.start(
                List.of(),
                dev.interlock.benchmarks.Main.class,
                List.of(
                        "--pin",
                        "--scenario",
                        "one-thread",
                        "--candidate",
                        "raw-jedis",
                        "--seconds",
                        "1",
                        "--rounds",
                        "1"),
                lines::add,
                end::countDown)) {
            assertThat(end.await(2, TimeUnit.MINUTES)).as(child.toString()).isTrue();
        }
        // With the name of the processor, where the machine tells it.
        assertThat(String.join("\n", lines))
                .containsPattern(", 1 core( of [^,]+)?, which clients and servers share")
                .contains("| raw-jedis |");
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
                .contains(
                        "Usage: interlock bench",
                        "--scenario",
                        "--candidate",
                        "--rtt",
                        "--topology",
                        "--pin",
                        "--engine",
                        "updates were lost");
    }
}
