// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code .ci/run} is green only if what a leg is for has run. The tests run it in a copy of the project that has one
 * module, with stand-ins for all programs: that for Maven writes the reports that a test has prepared.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the legs run on Linux")
class LegsTest {
    private static final String PASSED = "<testcase name=\"passes\" classname=\"T\" time=\"0\"/>\n";

    @TempDir
    private Path home;

    /** What a run of legs has printed, and its exit code. */
    private record Run(int code, String output) {
        void assertFailsBecause(String reason) {
            assertThat(output).contains(reason);
            assertThat(code).as(output).isNotZero();
        }

        void assertSucceeds() {
            assertThat(code).as(output).isZero();
        }
    }

    @BeforeEach
    void makeCopy() throws IOException {
        for (String script : List.of(".ci/run", ".ci/budget")) {
            Files.createDirectories(home.resolve(script).getParent());
            Files.copy(BuildFiles.ROOT.resolve(script), home.resolve(script), StandardCopyOption.COPY_ATTRIBUTES);
        }
        write("engine/pom.xml", "<project>\n  <name>Interlock engine</name>\n</project>\n");
        write(
                ".ci/budgets",
                "fast\tretries\t20\nfast\tengine\t9\ncontainers\tretries\t40\ndeep\tretries\t40\ndeep\tengine\t9\n"
                        + "deep-table\tengine\t9\n");
        for (String program : List.of("docker", "chromium", "node", "npm", "python3", "unshare")) {
            program(program, "");
        }
        for (String version : List.of("17", "25")) {
            script("jdk" + version + "/bin/javac", "echo javac " + version + ".0.1");
        }
        // The reports of its first build are those in build-1 if there are some, else those in build.
        program("mvn", """
                echo "${JAVA_HOME##*/} $*" >>calls.txt
                mkdir -p build engine/target
                rm -rf engine/target/*
                reports=build-$(grep -c . calls.txt)
                [ -d "$reports" ] || reports=build
                cp -R "$reports/." engine/target
                echo '[INFO] Interlock engine ................................... SUCCESS [  1.234 s]'
                if [ -f fails ]; then exit 1; fi
                """);
        reports("build", PASSED);
    }

    private void write(String file, String content) throws IOException {
        Files.createDirectories(home.resolve(file).getParent());
        Files.writeString(home.resolve(file), content);
    }

    private void script(String file, String commands) throws IOException {
        write(file, "#!/usr/bin/env bash\n" + commands);
        assertThat(home.resolve(file).toFile().setExecutable(true)).isTrue();
    }

    private void program(String name, String commands) throws IOException {
        script("bin/" + name, commands);
    }

    private void reports(String build, String cases) throws IOException {
        write(build + "/surefire-reports/TEST-T.xml", "<testsuite>\n" + cases + "</testsuite>\n");
    }

    private static String skipped(String reason) {
        return "<testcase name=\"is skipped\" classname=\"T\" time=\"0\">\n"
                + "<skipped type=\"org.opentest4j.TestAbortedException\"><![CDATA[org.opentest4j.TestAbortedException: \n"
                + "Assumption failed: " + reason + "\n\tat T.test(T.java:1)\n]]></skipped>\n</testcase>\n";
    }

    private Run run(String legs, String absent) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", ".ci/run").directory(home.toFile());
        builder.environment()
                .putAll(Map.of(
                        "PATH",
                        home.resolve("bin") + ":" + System.getenv("PATH"),
                        "JAVA_HOME_17_X64",
                        home.resolve("jdk17").toString(),
                        "JAVA_HOME_25_X64",
                        home.resolve("jdk25").toString(),
                        "INTERLOCK_LEGS",
                        legs,
                        "INTERLOCK_ABSENT",
                        absent));
        Path output = home.resolve("output.txt");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new Run(process.waitFor(), Files.readString(output));
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(home.resolve("calls.txt"));
    }

    @Test
    void legsWhoseTestsRunSucceedAndTellWhatTheyTook() throws Exception {
        Run run = run("fast containers deep", "");

        run.assertSucceeds();
        assertThat(run.output())
                .contains("== fast: ", "== containers: ", "== deep: ")
                .containsPattern("== deep: \\d+ s of wall, \\d+ s of processors in user mode, \\d+ s in the kernel");
        assertThat(calls().stream().map(call -> call.split(" ")[0]))
                .as("the JDK of each build")
                .containsExactly("jdk17", "jdk17", "jdk17", "jdk17", "jdk25", "jdk25");
    }

    @Test
    void aBuildThatFailsEndsTheRunAfterItHasToldWhatItTook() throws Exception {
        write("fails", "");

        Run run = run("fast deep", "");

        run.assertFailsBecause(" s of wall, ");
        assertThat(calls()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"taskset", "server-clock"})
    void aLegFailsIfItsTestsLackSomethingThatTheVariableDoesNotName(String name) throws Exception {
        reports("build", PASSED + skipped("[absent: " + name + ": it is not here]"));

        run("fast", "").assertFailsBecause("INTERLOCK_ABSENT does not name " + name + ".");

        Run excused = run("fast", "jfr " + name);
        excused.assertSucceeds();
        assertThat(excused.output()).contains("skipped 1 times, because this is absent: " + name);
    }

    @Test
    void librariesThatARegistryDoesNotGiveAreCountedAndFailOnlyWhereNothingMayBeAbsent() throws Exception {
        reports("build", PASSED + skipped("absent: libraries: npm has failed") + skipped("it is not for us"));

        Run run = run("deep", "");
        run.assertSucceeds();
        assertThat(run.output()).contains("== deep: skipped 2 times, because this is absent: libraries");

        run("fast", "none").assertFailsBecause("INTERLOCK_ABSENT is none.");
    }

    @Test
    void aProgramThatIsMissingShowsBeforeTheDeepLegBegins() throws Exception {
        program("npm", "exit 1");

        run("deep", "").assertFailsBecause("the leg deep needs that \"npm --version\" works");
        run("deep", "peers").assertSucceeds();
    }

    @Test
    void aModuleWithABudgetThatExecutesNoTestFailsItsLeg() throws Exception {
        reports("build", skipped("it is not for us"));

        run("fast", "").assertFailsBecause("it has executed no test of engine in the build fast.");
    }

    @Test
    void aModuleWhoseTestsAreAllSkippedOnPurposeDoesNot() throws Exception {
        reports("build", skipped("absent: postgresql: it is not here"));

        run("fast", "postgresql").assertSucceeds();
    }

    @Test
    void aDeepLegThatDoesNotPlayTheTableOfFaultsFails() throws Exception {
        reports("build-1", PASSED);
        reports("build", "");

        run("deep", "").assertFailsBecause("it has executed no test of engine in the build deep-table.");
    }

    @Test
    void theRetriesOfAllBuildsOfALegHaveOneLimit() throws Exception {
        write("build/junit-reports/T.xml", "<entry key=\"interlock.conformance.retries\">13</entry>\n");
        run("fast containers", "").assertSucceeds();

        write("build/junit-reports/T.xml", "<entry key=\"interlock.conformance.retries\">14</entry>\n");
        run("containers", "").assertFailsBecause("it has tried again 42 times, and .ci/budgets allows 40.");
    }

    @ParameterizedTest
    @CsvSource({"slow, '', slow", "browser, '', browser", "fast, chrome, chrome", "fast, none fast, none"})
    void aNameThatNobodyKnowsIsAnError(String legs, String absent, String wrong) throws Exception {
        run(legs, absent).assertFailsBecause("\"" + wrong + "\"");
    }

    @Test
    void theBudgetsNameModulesAndLimitTheRetriesOfEachLeg() throws IOException {
        List<String[]> rows = Files.readAllLines(BuildFiles.ROOT.resolve(".ci/budgets")).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t"))
                .toList();
        Map<String, List<String>> modules = rows.stream()
                .collect(Collectors.groupingBy(row -> row[0], Collectors.mapping(row -> row[1], Collectors.toList())));

        assertThat(modules).containsOnlyKeys("fast", "containers", "deep", "deep-table");
        for (String leg : List.of("fast", "containers", "deep")) {
            assertThat(modules.get(leg)).as(leg).contains("retries");
        }
        assertThat(modules.get("deep-table")).containsExactly("tools/cli");
        assertThat(modules.values().stream().flatMap(List::stream).filter(module -> !module.equals("retries")))
                .allSatisfy(module -> assertThat(BuildFiles.ROOT.resolve(module).resolve("pom.xml"))
                        .exists());
    }
}
