// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.gson.Gson;
import dev.interlock.conformance.history.Checker;
import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.history.Model;
import dev.interlock.conformance.history.Verdict;
import dev.interlock.spi.Assumption;
import dev.interlock.tools.backends.TestStrategies;
import dev.interlock.tools.lab.CellVerdict;
import dev.interlock.tools.lab.Declaration;
import dev.interlock.tools.lab.FaultReport;
import dev.interlock.tools.lab.LabCell;
import dev.interlock.tools.lab.evidence.Evidence;
import dev.interlock.tools.lab.evidence.Moment;
import dev.interlock.tools.lab.play.LabFault;
import dev.interlock.tools.measure.MeasurementsTest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsCommandTest {
    /** Longer than the default, as on a busy machine the processes must tell each other much within one. */
    private static final String LEASE = "4000";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private Set<Long> childrenBefore;
    private Set<Path> directoriesBefore;

    @BeforeEach
    void lookAround() throws IOException {
        childrenBefore = MeasurementsTest.children();
        directoriesBefore = labDirectories();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(MeasurementsTest.children()).isEqualTo(childrenBefore);
        assertThat(labDirectories()).isEqualTo(directoriesBefore);
    }

    /** Those of this process: others may run the lab at the same time, and killed runs may have left some. */
    private static Set<Path> labDirectories() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName()
                            .toString()
                            .startsWith(
                                    "interlock-lab-" + ProcessHandle.current().pid() + "-"))
                    .collect(Collectors.toSet());
        }
    }

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    private FaultReport report(String strategy, String... faults) {
        int exitCode = run(Stream.concat(
                        Stream.of("faults", "--json", "--lease", LEASE, "--strategy", strategy, "--fault"),
                        Stream.of(faults))
                .toArray(String[]::new));
        assertThat(exitCode).as(out + "\n" + err).isEqualTo(ExitCodes.OK);
        return new Gson().fromJson(out.toString(), FaultReport.class);
    }

    private static LabCell cell(FaultReport report, LabFault fault) {
        return report.strategies().get(0).cells().stream()
                .filter(cell -> cell.fault().equals(fault.id()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("deep")
    void evidenceShowsHowADeadHolderIsFollowedAndHowLostDataLetsTwoIn() {
        FaultReport report = report("set-nx-px", "killed", "flushall", "server-clock", "minority-dead");

        LabCell killed = cell(report, LabFault.KILLED);
        assertThat(killed.verdict()).isEqualTo(CellVerdict.SAFE);
        assertThat(killed.evidence().history()).isEqualTo("VALID");
        assertThat(killed.evidence().nextHolderMillis()).isPositive();
        assertThat(killed.evidence().twoHoldersMillis()).isZero();
        LabCell flushed = cell(report, LabFault.FLUSHALL);
        assertThat(flushed.verdict()).isEqualTo(CellVerdict.FENCED);
        assertThat(flushed.declaration()).isEqualTo(new Declaration(Declaration.Kind.ASSUMED, Assumption.NO_EVICTION));
        assertThat(flushed.evidence().staleWrites()).isEqualTo(1);
        assertThat(flushed.evidence().refusedWrites()).isEqualTo(1);
        assertThat(flushed.evidence().history()).isEqualTo("VIOLATED");
        assertThat(flushed.evidence().timeline())
                .extracting(Evidence.Entry::what)
                .contains(Moment.What.STRUCK, Moment.What.GRANTED, Moment.What.WROTE, Moment.What.HEALED);
        assertThat(cell(report, LabFault.SERVER_CLOCK).outcome())
                .isEqualTo(
                        LabFault.SERVER_CLOCK.obstacle().isEmpty() ? LabCell.Outcome.PLAYED : LabCell.Outcome.NOT_RUN);
        assertThat(cell(report, LabFault.MINORITY_DEAD).outcome()).isEqualTo(LabCell.Outcome.DOES_NOT_APPLY);
    }

    @Test
    @Tag("deep")
    void aHolderThatStandsStillDoesNoHarmUnlessItHasLookedAlready() {
        FaultReport report = report("set-nx-px", "stopped", "stopped-writing");

        assertThat(cell(report, LabFault.STOPPED).verdict()).isEqualTo(CellVerdict.SAFE);
        assertThat(cell(report, LabFault.STOPPED_WRITING).verdict()).isEqualTo(CellVerdict.FENCED);
        assertThat(cell(report, LabFault.STOPPED_WRITING).declaration().kind()).isEqualTo(Declaration.Kind.ANY_LEASE);
    }

    @Test
    @Tag("deep")
    void aClockThatIsAheadMattersToTimestampsAlone() {
        assertThat(cell(report("setnx-getset", "client-clock"), LabFault.CLIENT_CLOCK)
                        .verdict())
                .isEqualTo(CellVerdict.VIOLATED);
    }

    @Test
    @Tag("deep")
    void aServerThatForgetsLetsTwoInUnlessItStandsAsideAndBothWaysAreShown() {
        FaultReport report = report("redlock", "node-restarted", "nodes-changed");

        FaultReport.Row trusting = report.strategies().get(0);
        FaultReport.Row waiting = report.strategies().get(1);
        assertThat(trusting.label()).isEqualTo("redlock");
        assertThat(trusting.options()).containsEntry("cold-start", "trust").containsEntry("node-timeout", "2s");
        assertThat(trusting.cells().get(0).verdict()).isEqualTo(CellVerdict.FENCED);
        assertThat(trusting.cells().get(0).declaration())
                .isEqualTo(new Declaration(Declaration.Kind.ASSUMED, Assumption.RESTART_KEEPS_DATA));
        assertThat(trusting.cells().get(1).declaration())
                .isEqualTo(new Declaration(Declaration.Kind.ASSUMED, Assumption.SAME_SERVERS));
        assertThat(waiting.label()).isEqualTo("redlock (wait)");
        assertThat(waiting.options()).containsEntry("cold-start", "wait").containsEntry("max-lease", LEASE + "ms");
        assertThat(waiting.cells().get(0).verdict()).isEqualTo(CellVerdict.SAFE);
        assertThat(waiting.cells().get(1).verdict())
                .as("nodes know which list counts")
                .isEqualTo(CellVerdict.SAFE);
    }

    @Test
    void aFalseProfileFailsTheRun() throws IOException {
        int exitCode = run(
                "faults",
                "--lease",
                LEASE,
                "--strategy",
                TestStrategies.BOASTFUL,
                "--fault",
                "flushall",
                "--histories",
                directory.resolve("h").toString(),
                "--out",
                directory.resolve("a").toString());

        assertThat(exitCode).isEqualTo(ExitCodes.BROKEN);
        assertThat(out.toString())
                .contains("fenced !", "which its profile does not declare")
                .contains("FAILED: strategy \"test-boastful\" under fault flushall");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(Files.readString(directory.resolve("a/faults.md"))).contains("| flushall | fenced ! |");
        assertThat(Files.readString(directory.resolve("a/faults.json"))).contains("\"UNDECLARED\"");
        List<Event> history = JsonLines.read(directory.resolve("h/test-boastful.flushall.jsonl"));
        assertThat(new Checker(new Model(true, true)).check(history).outcome()).isEqualTo(Verdict.Outcome.VIOLATED);
        assertThat(Files.readString(directory.resolve("h/test-boastful.flushall.edn")))
                .contains(":type :ok, :f :acquire, :value {:client \"");
    }

    @Test
    @Tag("deep")
    void aSpecimenIsAWarningAndFailsNoRun() {
        FaultReport report = report("unchecked-del", "cut");

        assertThat(report.strategies().get(0).specimen()).isTrue();
        assertThat(cell(report, LabFault.CUT).undeclared()).isTrue();
    }

    @Test
    @Tag("deep")
    void aStrategyThatCannotBeExaminedIsAFailure() {
        assertThat(run("faults", "--strategy", TestStrategies.FAILING, "--fault", "killed", "--lease", "500"))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(out.toString())
                .contains("FAILED: strategy \"test-failing\" under fault killed could not be examined");
    }

    @Test
    @Tag("deep")
    void aSeriesOfSeedsGoesOnWhereItWasBrokenOff() throws IOException {
        Path ledger = directory.resolve("seeds.tsv");
        String[] series = {
            "faults",
            "--strategy",
            "set-nx-px",
            "--fault",
            "flushall,minority-dead",
            "--lease",
            LEASE,
            "--seed",
            "5",
            "--seeds",
            "2",
            "--out",
            directory.toString()
        };
        assertThat(run(series)).as(out + "\n" + err).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("set-nx-px flushall: fenced 2", "2 cells played, 0 not declared, 0 could not");
        List<String> noted = Files.readAllLines(ledger);
        // The head, and two cells for each seed, of which one does not apply.
        assertThat(noted).hasSize(5);
        assertThat(Files.readString(Path.of("../../docs/report-format.md")))
                .contains("`" + noted.get(0).replace("\t", ", ") + "`");

        Files.write(
                ledger,
                noted.stream()
                        .map(line -> line.replace(
                                "5\t4000\tset-nx-px\tflushall\tplayed", "5\t4000\tset-nx-px\tflushall\tfailed"))
                        .toList());
        assertThat(run(series)).isEqualTo(ExitCodes.OK);

        assertThat(Files.readAllLines(ledger)).as("one cell was played again").hasSize(6);
        assertThat(out.toString()).endsWith("2 cells played, 0 not declared, 0 could not be played\n");
    }

    @ParameterizedTest
    @CsvSource({
        "--fault earthquake, '--fault: there is no \"earthquake\": name some of killed, stopped'",
        "--strategy redlok, '--strategy: there is no \"redlok\": name some of '",
        "--lease 3, '--lease: 3 is not between 500 and 60000'",
        "--histories target --seeds 3 --out target, '--histories: not with --seeds'",
        "--seeds 3, '--seeds: give a number of at least 1, --out for what is noted'",
        "--option taste=sweet, 'no strategy has an option \"taste\"'"
    })
    void whatTheLabCannotBeAskedForIsAnErrorBeforeAnythingIsRun(String options, String message) {
        assertThat(run(("faults " + options).split(" "))).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString())
                .contains(message, "Try: interlock faults --help")
                .doesNotContain("[1/");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 15})
    void aSignalAtAnyMomentLeavesNothingBehind(int signal) throws Exception {
        assumeFalse(
                isIgnored(signal), "this process ignores the signal, and so would its child: run it in the foreground");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "faults",
                        "--strategy",
                        "set-nx-px")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<ProcessHandle> descendants = List.of();
        // Two clients and a server, at least.
        while (process.isAlive() && descendants.size() < 3) {
            descendants = process.descendants().toList();
        }
        new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + process.pid())
                .start()
                .waitFor();
        process.waitFor();

        assertThat(descendants)
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(child -> child.onExit().join());
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("interlock-lab") || name.startsWith("embedded-redis"));
        }
    }

    /**
     * As in processes that a shell has started in the background; where the system does not tell, it is not assumed.
     */
    private static boolean isIgnored(int signal) throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return false;
        }
        String mask = Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .map(line -> line.substring("SigIgn:".length()).strip())
                .findFirst()
                .orElse("0");
        return (Long.parseUnsignedLong(mask, 16) >> (signal - 1) & 1) == 1;
    }
}
