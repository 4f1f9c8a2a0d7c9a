// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private int run(String... args) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    @Test
    void aBrokenLockMakesTheCommandFailAndAFailingStrategyHidesNoOther() throws Exception {
        Set<Long> before = ScenariosTest.children();

        int exitCode = run(
                "compare",
                "--quick",
                "--skip-conformance",
                "--strategy",
                TestStrategies.FAILING,
                TestStrategies.BROKEN,
                "--out",
                directory.resolve("a/b").toString());

        assertThat(ScenariosTest.children()).isEqualTo(before);
        assertThat(exitCode).isEqualTo(ExitCodes.BROKEN);
        assertThat(out.toString())
                .contains("BROKEN", Headlines.CAVEAT)
                .contains("FAILED: strategy \"test-broken\" lost ")
                .contains("FAILED: strategy \"test-failing\" could not be measured: a worker process ended too early")
                .contains("the test wants it so");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(err.toString())
                .contains("[1/8] test-broken: guarded counter in 2 processes", "[4/8] test-broken: 4 clients")
                .contains("[5/8] test-failing: guarded counter in 2 processes")
                .doesNotContain("\tat ");

        JsonObject json = JsonParser.parseString(Files.readString(directory.resolve("a/b/compare.json")))
                .getAsJsonObject();
        assertThat(json.get("schemaVersion").getAsInt()).isEqualTo(Report.SCHEMA_VERSION);
        assertThat(json.getAsJsonObject("machine").keySet()).containsExactlyInAnyOrder("java", "os", "cores");
        JsonArray strategies = json.getAsJsonArray("strategies");
        JsonObject broken = strategies.get(0).getAsJsonObject();
        assertThat(broken.keySet())
                .containsExactlyInAnyOrder(
                        "name",
                        "summary",
                        "capabilities",
                        "assumptions",
                        "redis",
                        "redisVersion",
                        "counting",
                        "guardedCounter",
                        "uncontended",
                        "contended");
        assertThat(broken.getAsJsonArray("contended")).hasSize(2);
        assertThat(strategies.get(1).getAsJsonObject().get("failure").getAsString())
                .contains("the test wants it so");
        assertThat(Files.readString(directory.resolve("a/b/compare.md")))
                .contains("# Interlock", "| test-broken |", "**FAILED: ");
    }

    @Test
    void aStrategyThatCannotBeMeasuredMakesTheCommandFail() {
        assertThat(run("compare", "--quick", "--strategy", TestStrategies.FAILING))
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
                "compare --redis redis://:hunter2@a?"
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
    void theInstalledStrategiesAreListedWithAllThatTheyPromiseAndTake() {
        assertThat(run("strategies")).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("| test-broken ", "Made up for the tests of the comparison, as test-broken.")
                .contains("| REENTRANT: the holding thread may lock again")
                .contains("| NO_FAILOVER: no failover loses an acknowledged write")
                .contains("| colour (default: blue): the colour of the lock");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
    }

    @Test
    void helpExplainsTheCommandsAndTheExitCodesAndHidesTheWorker() {
        assertThat(run()).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("compare", "conformance", "strategies")
                .doesNotContain("worker");

        assertThat(run("compare", "--help")).isEqualTo(ExitCodes.OK);
        assertThat(out.toString())
                .contains("--redis", "--strategy", "--out", "--quick", "--skip-conformance", "updates were lost");

        assertThat(run("conformance", "--help")).isEqualTo(ExitCodes.OK);
        assertThat(out.toString()).contains("--option", "--chapter", "--rule", "--document", "a rule was broken");
    }

    @Test
    void anUnknownCommandIsAnError() {
        assertThat(run("compete")).isEqualTo(ExitCodes.USAGE);
        assertThat(err.toString()).contains("compete", "Try: interlock --help");
    }
}
