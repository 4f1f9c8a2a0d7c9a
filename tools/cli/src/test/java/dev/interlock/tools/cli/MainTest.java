// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.backends.Progress;
import dev.interlock.tools.backends.Servers;
import dev.interlock.tools.backends.TestStrategies;
import dev.interlock.tools.conformance.ConformanceReport;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.conformance.RuleVerdict;
import dev.interlock.tools.measure.Effort;
import dev.interlock.tools.measure.MeasurementsTest;
import dev.interlock.tools.peers.Peers;
import dev.interlock.tools.report.Headlines;
import dev.interlock.tools.report.PublishedSchema;
import dev.interlock.tools.report.Recommendation;
import dev.interlock.tools.report.Report;
import dev.interlock.tools.report.StrategyReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    private static final Effort LEAST = new Effort(
            "least",
            Duration.ofMillis(1),
            Duration.ofMillis(1),
            Duration.ofMillis(1),
            Duration.ofMillis(1),
            Duration.ofMillis(1),
            1,
            5);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    @Tag("deep")
    @Test
    void aBrokenLockMakesTheCommandFailAndAFailingStrategyHidesNoOther() throws Exception {
        Set<Long> before = MeasurementsTest.children();

        int exitCode = run(
                "compare",
                "--only",
                "speed",
                "--strategy",
                TestStrategies.FAILING,
                TestStrategies.BROKEN,
                "--out",
                directory.resolve("a/b").toString());

        assertThat(MeasurementsTest.children()).isEqualTo(before);
        assertThat(exitCode).isEqualTo(ExitCodes.BROKEN);
        assertThat(out.toString())
                .contains("BROKEN", Headlines.CAVEAT)
                .contains("FAILED: strategy \"test-broken\" lost ")
                .contains("FAILED: strategy \"test-failing\" could not be measured: a child process ended too early")
                .contains("the test wants it so");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(err.toString())
                .contains("[1/10] test-broken: guarded counter in 2 processes", "[4/10] test-broken: 4 clients")
                .contains("[6/10] test-failing: guarded counter in 2 processes")
                .doesNotContain("\tat ");

        JsonObject json = JsonParser.parseString(Files.readString(directory.resolve("a/b/report.json")))
                .getAsJsonObject();
        assertThat(json.get("schemaVersion").getAsInt()).isEqualTo(Report.SCHEMA_VERSION);
        assertThat(json.getAsJsonObject("machine").keySet()).contains("java", "os", "cores");
        JsonArray strategies = json.getAsJsonArray("strategies");
        JsonObject broken = strategies.get(0).getAsJsonObject();
        assertThat(broken.keySet())
                .containsExactlyInAnyOrder(
                        "name",
                        "options",
                        "summary",
                        "purpose",
                        "servers",
                        "capabilities",
                        "assumptions",
                        "redis",
                        "redisVersion",
                        "counting",
                        "guardedCounter",
                        "uncontended",
                        "uncontendedRuns",
                        "contended",
                        "contendedRuns",
                        "growth",
                        "roundTrips",
                        "footprint",
                        "guardedCounterRuns",
                        "growthRuns",
                        "roundTripRuns",
                        "footprintRuns");
        assertThat(broken.getAsJsonArray("contended")).hasSize(2);
        assertThat(strategies.get(1).getAsJsonObject().get("failure").getAsString())
                .contains("the test wants it so");
        assertThat(Files.readString(directory.resolve("a/b/report.md")))
                .contains("# Interlock", "| test-broken |", "**FAILED: ");
    }

    @Tag("deep")
    @Test
    void aPeerIsComparedOverANetworkAndInRoundsAsThePublishedSchemaSays() throws Exception {
        int exitCode = run(
                "compare",
                "--only",
                "profiles,speed",
                "--strategy",
                "set-nx-px,spring-pubsub",
                "--rtt",
                "2",
                "--repeat",
                "2",
                "--out",
                directory.toString());

        assertThat(exitCode).as(err.toString()).isEqualTo(ExitCodes.OK);
        String written = Files.readString(directory.resolve("report.json"));
        assertThat(PublishedSchema.problems(written)).isEmpty();
        Report report = new Gson().fromJson(written, Report.class);
        assertThat(report.repetitions()).isEqualTo(2);
        assertThat(report.strategies()).hasSize(2).allSatisfy(strategy -> {
            assertThat(strategy.uncontendedRuns()).hasSize(2);
            // Of one client with several threads, and of several clients, in each round.
            assertThat(strategy.contendedRuns()).hasSize(2 * 2);
            assertThat(strategy.roundTrips()).hasSize(1);
            assertThat(strategy.roundTrips().get(0).millis()).isEqualTo(2);
            assertThat(strategy.roundTripRuns()).hasSize(2);
            assertThat(strategy.guardedCounterRuns()).hasSize(2);
            assertThat(strategy.footprintRuns()).hasSize(2).allSatisfy(run -> {
                assertThat(run.heapNoiseBytesPerLock()).isNotNull();
                assertThat(run.serverBytesPerLock()).isPositive();
            });
        });
        assertThat(report.speedTerms()).isEqualTo(new Report.SpeedTerms(30_000, 5_000));
        assertThat(report.strategies().get(1).options())
                .containsEntry("expireAfter", "30000 ms")
                .containsEntry("lettuce.commandTimeout", "5000 ms");
        assertThat(report.libraries()).containsKeys("jedis", "lettuce-core", "redisson", "spring-data-redis");
        assertThat(report.strategies().get(1).peer()).isNotNull();
        assertThat(Files.readString(directory.resolve("report.md"))).contains("Over a network", "| spring", "2.0 ms");
    }

    @Test
    void aStrategyThatCannotBeMeasuredMakesTheCommandFail() {
        assertThat(run("compare", "--only", "speed", "--strategy", TestStrategies.FAILING))
                .isEqualTo(ExitCodes.FAILED);
    }

    @Test
    void anUnknownStrategyIsAnErrorThatListsTheInstalledOnes() {
        assertThat(run("compare", "--strategy", "redlok")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString())
                .startsWith("interlock: no lock strategy \"redlok\" is installed; installed: ")
                .contains(TestStrategies.BROKEN, "Try: interlock compare --help");
    }

    @Test
    void anUnknownPartIsAnErrorThatListsTheParts() {
        assertThat(run("compare", "--only", "looks")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString())
                .contains("--only: there is no part \"looks\": name some of profiles, conformance, faults, speed");
    }

    @Test
    @Tag("deep")
    void aFaultThatAProfileDoesNotDeclareMakesTheComparisonFail() throws Exception {
        int exitCode = run(
                "compare", "--only", "faults", "--strategy", TestStrategies.BOASTFUL, "--out", directory.toString());

        assertThat(exitCode).isEqualTo(ExitCodes.BROKEN);
        Report report = new Gson().fromJson(Files.readString(directory.resolve("report.json")), Report.class);
        assertThat(report.faults()).isNotNull();
        assertThat(report.faults().hasUndeclared()).isTrue();
        assertThat(report.command()).startsWith("./interlock compare --only faults --strategy test-boastful");
        assertThat(report.recommendations())
                .extracting(Recommendation::strategy)
                .containsOnlyNulls();
        assertThat(report.recommendations())
                .extracting(Recommendation::reason)
                .contains("something went wrong here with test-boastful", "none of those that were compared will do");
        assertThat(Files.readString(directory.resolve("report.md"))).contains("**FAILED: strategy \"test-boastful\"");
        assertThat(Files.readString(directory.resolve("report.html"))).contains("test-boastful");
    }

    @Test
    void serversThatTheUserNamesAreNotUsedForFaults() {
        try (RedisServer server = RedisServer.start()) {
            assertThat(run("compare", "--only", "profiles,faults", "--strategy", "set-nx-px", "--redis", server.uri()))
                    .isEqualTo(ExitCodes.OK);
            assertThat(out.toString()).contains("The faults were left out").doesNotContain("killed");
        }
    }

    @Test
    void aServerThatCannotBeReachedIsAnErrorWithoutItsPassword() {
        assertThat(run("compare", "--redis", "redis://alice:hunter2@127.0.0.1:1"))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString())
                .startsWith("interlock: redis://***@127.0.0.1:1 cannot be used: ")
                .doesNotContain("hunter2", "\tat ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "compare --redis localhost:hunter2",
                "compare redis://:hunter2@localhost",
                "compare --redis redis://:hunter2@a?",
                "compare --redis redis-sentinel://:hunter2@a,b/",
                "compare --redis redis-cluster://:hunter2@a,b/1",
                "compare --redis redis-cluster://:hunter2@a,redis://:hunter2@b"
            })
    void aServerThatCannotBeUnderstoodIsAnErrorWithoutItsPassword(String line) {
        assertThat(run(line.split(" "))).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).startsWith("interlock: ").doesNotContain("hunter2", "\tat ");
    }

    @Test
    void aDirectoryThatCannotBeWrittenToIsAnErrorBeforeAnythingIsMeasured() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(run("compare", "--out", file.toString())).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).startsWith("interlock: --out: " + file + " cannot be written to");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aBrokenRuleMakesTheCommandFailAndIsNamed() throws Exception {
        Set<Long> before = MeasurementsTest.children();

        int exitCode = run(
                "conformance",
                "--strategy",
                TestStrategies.CARELESS,
                "--rule",
                "4.1",
                "--out",
                directory.resolve("a/b").toString());

        assertThat(MeasurementsTest.children()).isEqualTo(before);
        assertThat(exitCode).isEqualTo(ExitCodes.BROKEN);
        assertThat(out.toString())
                .contains("| 4. Interrupts |     0 / 1 / 0 |")
                .contains("FAILED: strategy \"test-careless\" breaks rule 4.1, lockIgnoresAnInterruptOnEntry: ")
                .contains("docs/contract.md")
                .doesNotContain("1. Exclusion");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(err.toString())
                .isEqualTo("[1/1] test-careless: 4.1 lockIgnoresAnInterruptOnEntry" + System.lineSeparator());
        assertThat(Files.readString(directory.resolve("a/b/conformance.md"))).contains("| test-careless | 0 | 1 | 0 |");
        ConformanceReport report = conformanceJson(directory.resolve("a/b"));
        assertThat(report.schemaVersion()).isEqualTo(ConformanceReport.SCHEMA_VERSION);
        assertThat(report.results().get(TestStrategies.CARELESS).failed())
                .extracting(RuleVerdict::id)
                .containsExactly("4.1");
    }

    @Test
    void aBrokenRuleMakesTheComparisonFail() {
        Comparison comparison = new Comparison(
                Comparison.Extent.once(LEAST), new Servers(List.of()), List.of(rule("4.1"), rule("4.2")));
        List<ConfiguredStrategy> careless =
                List.of(ConfiguredStrategy.of(new TestStrategies.CarelessStrategyProvider(), Map.of()));

        List<StrategyReport> strategies;
        try (Progress progress = Progress.on(new PrintWriter(err), "compare", comparison.steps(careless))) {
            strategies = comparison.run(careless, progress);
        }

        Report report = new Report(
                Report.KIND,
                Report.SCHEMA_VERSION,
                "",
                null,
                "",
                "",
                "",
                1,
                Machine.here(),
                null,
                strategies,
                null,
                List.of(),
                List.of(),
                null,
                null);
        assertThat(CompareCommand.exitCode(report)).isEqualTo(ExitCodes.BROKEN);
        assertThat(strategies.get(0).failure()).isNull();
        assertThat(strategies.get(0).conformance()).isNotNull();
        assertThat(err.toString()).contains("[6/6] test-careless: 2 rules of the contract");
    }

    /** Whether it breaks some of them is a matter of luck, which one round would show as a fact. */
    @Test
    @Tag("deep")
    void theLocksOfOtherLibrariesAreAskedTheRulesInEachRound() {
        Comparison comparison = new Comparison(
                new Comparison.Extent(LEAST, false, 2, List.of(), false),
                new Servers(List.of()),
                List.of(rule("1.1"), rule("4.1")));
        List<ConfiguredStrategy> both = Stream.of("set-nx-px", "redisson-rlock")
                .map(name -> ConfiguredStrategy.of(Peers.find(name).orElseThrow(), Map.of()))
                .toList();

        List<StrategyReport> strategies;
        try (Progress progress = Progress.on(new PrintWriter(err), "compare", comparison.steps(both))) {
            strategies = comparison.run(both, progress);
        }

        assertThat(strategies).extracting(StrategyReport::failure).containsOnlyNulls();
        assertThat(strategies.get(0).conformance().rounds()).isNull();
        assertThat(strategies.get(1).conformance().rounds()).isEqualTo(2);
        assertThat(strategies.get(1).conformance().failed())
                .extracting(RuleVerdict::id, RuleVerdict::brokenRounds)
                .containsExactly(tuple("4.1", 2));
        assertThat(err.toString()).contains("[3/3] redisson-rlock: the rules of the contract for any lock");
    }

    @Test
    @Tag("deep")
    void aStrategyThatWantsThreeServersIsComparedOnThree() {
        Comparison comparison = new Comparison(Comparison.Extent.once(LEAST), new Servers(List.of()), List.of());

        StrategyReport trio = comparison
                .run(
                        List.of(ConfiguredStrategy.of(new TestStrategies.TrioStrategyProvider(), Map.of())),
                        Progress.none())
                .get(0);

        assertThat(trio.failure()).isNull();
        assertThat(trio.redis()).hasSize(3).doesNotHaveDuplicates();
        assertThat(trio.guardedCounter()).isNotNull();
        assertThat(trio.guardedCounter().correct()).isTrue();
    }

    private static ConformanceReport conformanceJson(Path directory) throws IOException {
        return new Gson().fromJson(Files.readString(directory.resolve("conformance.json")), ConformanceReport.class);
    }

    private static Rule rule(String id) {
        return Rule.ALL.stream()
                .filter(rule -> rule.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void thePageShowsAStrategyOverEachOfItsClientsAndIsTheSameEachTime() throws Exception {
        Path page = directory.resolve("new/page.md");

        assertThat(run("conformance", "--strategy", "set-nx-px", "--rule", "4.1", "--document", page.toString()))
                .isEqualTo(ExitCodes.OK);
        String first = Files.readString(page);
        assertThat(run("conformance", "--strategy", "set-nx-px", "--rule", "4.1", "--document", page.toString()))
                .isEqualTo(ExitCodes.OK);

        assertThat(first)
                .contains("| set-nx-px (interlock) | 1 | 0 | 0 |", "| set-nx-px (lettuce) | 1 | 0 | 0 |")
                .isEqualTo(Files.readString(page));
    }

    @Test
    void serversThatTheUserNamesAreNotMadeToFail() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            server.command("SET", "mine", "1");
            long pid = server.pid();
            List<String> harmful = Rule.ALL.stream()
                    .filter(rule -> rule.needs()
                            .matches(".*fault (FLUSH|KILL|STOP|RESTART_|FORGET_PREPARED|CUT_NOTIFICATIONS).*"))
                    .map(Rule::id)
                    .toList();

            List<String> args = new ArrayList<>(
                    List.of("conformance", "--strategy", "set-nx-px", "--option", "client=lettuce", "--redis"));
            args.addAll(List.of(server.uri(), "--out", directory.toString(), "--rule", "4.1"));
            args.addAll(harmful);
            int exitCode = run(args.toArray(String[]::new));

            assertThat(exitCode).as(out.toString()).isEqualTo(ExitCodes.OK);
            assertThat(conformanceJson(directory)
                            .results()
                            .get("set-nx-px (lettuce)")
                            .rules())
                    .filteredOn(verdict -> verdict.outcome() == RuleVerdict.Outcome.SKIPPED)
                    .extracting(RuleVerdict::id)
                    .isEqualTo(harmful);
            assertThat(server.command("GET", "mine")).isEqualTo("1");
            assertThat(server.pid()).isEqualTo(pid);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--rule 4.99, 'no rule \"4.99\"'",
        "--chapter 99, 'no chapter \"99\": the contract has chapters 1 to 16'",
        "--chapter x, 'no chapter \"x\"'",
        "--option taste=sweet, 'no strategy has an option \"taste\"'",
        "--strategy set-nx-px --option client=hiredis, 'client is \"hiredis\": it must be interlock or jedis or lettuce'",
        "--strategy redlok, 'no lock strategy \"redlok\" is installed'",
        "--document ., '--document: . is a directory'"
    })
    void whatTheKitCannotBeAskedForIsAnErrorBeforeAnythingIsRun(String options, String message) {
        assertThat(run(("conformance " + options).split(" "))).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString())
                .startsWith("interlock: ")
                .contains(message, "Try: interlock conformance --help")
                .doesNotContain("[1/");
    }

    @Test
    void theInstalledStrategiesAreListedWithAllThatTheyPromiseAndTake() {
        assertThat(run("strategies")).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("| test-broken ", "Made up for the tests of the comparison, as test-broken.")
                .contains("| REENTRANT: the holding thread may lock again")
                .contains("| NO_FAILOVER: no failover loses an acknowledged write")
                .contains("| colour (default: blue): the colour of the lock")
                .containsPattern("\\| +take it to +\\| agree in threes")
                .containsPattern("\\| +runs on +\\| 3 servers that are independent of each other, at least 2");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void helpExplainsTheCommandsAndTheExitCodesAndHidesTheWorker() {
        assertThat(run()).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("compare", "conformance", "strategies")
                .doesNotContain("worker");

        assertThat(run("compare", "--help")).isEqualTo(ExitCodes.OK);
        assertThat(out.toString()).contains("--redis", "--strategy", "--out", "--full", "--only", "updates were lost");

        assertThat(run("conformance", "--help")).isEqualTo(ExitCodes.OK);
        assertThat(out.toString()).contains("--option", "--chapter", "--rule", "--document", "a rule was broken");
    }

    @Test
    void siteWritesThePagesOfACheckoutAndRefusesAFolderThatIsNone() throws IOException {
        assertThat(run("site", "--source", directory.toString())).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString()).contains(directory + " is not a checkout");

        Files.writeString(directory.resolve("pom.xml"), "<scm><url>https://example.com/repository</url></scm>");
        Files.writeString(directory.resolve("README.md"), "# Locks\n");
        assertThat(run("site", "--source", directory.toString())).isEqualTo(ExitCodes.OK);
        assertThat(directory.resolve("target/site/index.html")).exists();
        assertThat(out.toString()).startsWith("1 page is in " + directory.resolve("target/site"));
    }

    @Test
    void anUnknownCommandIsAnError() {
        assertThat(run("compete")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("compete", "Try: interlock --help");
    }
}
