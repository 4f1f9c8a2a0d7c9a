// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.simulation.mutants.Mutant;
import dev.interlock.simulation.mutants.code.CodeMutant;
import dev.interlock.simulation.mutants.code.CodeMutants;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The deliberate errors in Java code: each changes a text that its class still has, and the seeds that docs/proof.md
 * names find those that can be found.
 */
class CodeMutantsTest {
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| ([\\d,]+)[^|]* \\| (.+) \\|");

    /**
     * What a violation says, for each thing that the page says is found. Without it a class that cannot be loaded would
     * be taken for an error that is found, since its thread ends too.
     */
    private static final Map<String, String> VIOLATIONS = Map.ofEntries(
            Map.entry("a lease is lost, and nothing went wrong", "has lost \"\\w+\", and nothing went wrong"),
            Map.entry("a request fails, and nothing went wrong", "was told of a failure, and nothing went wrong"),
            Map.entry(
                    "a thread ends by `IllegalMonitorStateException`",
                    "ended by java\\.lang\\.IllegalMonitorStateException"),
            Map.entry("a wait goes on after its end", "waits for \"\\w+\" although its time is over"),
            Map.entry("somebody is not woken", "waits for \"\\w+\", which nobody holds"),
            Map.entry("somebody waits for ever", "still waits long after everything has settled"),
            Map.entry("somebody is woken without a signal", "was woken, and no signal was for it"),
            Map.entry("a token that is no greater than one before", "the token of .* is \\d+, and one before was \\d+"),
            Map.entry(
                    "the list of servers cannot be changed",
                    "the list of servers cannot be changed although they answer"),
            Map.entry(
                    "the lock cannot be had although nobody holds it",
                    "the lock cannot be had although nobody holds it"),
            Map.entry("what was given back is still held", "has given \"\\w+\" back, and the server still holds it"),
            Map.entry("two holders", "both .* hold \"\\w+\" with a valid lease"));

    /**
     * A row of the page.
     *
     * @param seed the seed that finds the mutant, or how many have not
     * @param says what is found, or why nothing is
     */
    private record Row(String strategy, String mutant, boolean found, int seed, String says) {}

    private static String section() throws IOException {
        String page = Files.readString(Path.of("../../docs/proof.md"));
        return page.substring(page.indexOf("## Mutants of Java code"), page.indexOf("## The model of the server"));
    }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        String strategy = "";
        boolean found = false;
        for (String line : section().lines().toList()) {
            if (line.startsWith("Of ")) {
                strategy = Strategies.ALL.keySet().stream()
                        .filter(name -> line.contains("`" + name + "`"))
                        .findFirst()
                        .orElseThrow();
            } else if (line.startsWith("| mutant ")) {
                found = line.startsWith("| mutant | seed |");
            } else if (line.startsWith("| `")) {
                Matcher row = ROW.matcher(line);
                assertThat(row.matches()).as(line).isTrue();
                rows.add(new Row(
                        strategy,
                        row.group(1),
                        found,
                        Integer.parseInt(row.group(2).replace(",", "")),
                        row.group(3)));
            }
        }
        return rows;
    }

    private static int run(CodeMutant mutant, StringWriter out, String... args) {
        PrintWriter writer = new PrintWriter(out);
        int code = CodeMutants.run(mutant, Main.class, writer, writer, List.of(args));
        writer.flush();
        return code;
    }

    @Test
    void eachTextIsInItsClassOnce() {
        for (String strategy : Strategies.ALL.keySet()) {
            for (CodeMutant mutant : CodeMutants.of(strategy)) {
                assertThat(mutant.source()).as(mutant.name()).contains(mutant.other());
                assertThat(mutant.other()).as(mutant.name()).isNotEqualTo(mutant.text());
            }
        }
    }

    @Test
    void aTextThatIsNotThereOnceIsAnError() {
        String name = "dev.interlock.engine.Hold";
        assertThatThrownBy(() -> new CodeMutant("gone", "engine", name, "no such text", "").source())
                .hasMessage("mutant gone replaces a text that " + name + " has no more: no such text");
        assertThatThrownBy(() -> new CodeMutant("twice", "engine", name, "return", "").source())
                .hasMessage("mutant twice replaces a text that " + name + " has more than once: return");
    }

    @Test
    void aSourceThatIsNotThereIsAnError() {
        assertThatThrownBy(() -> new CodeMutant("lost", "engine", "dev.interlock.engine.Nothing", "a", "b").source())
                .hasMessageStartingWith("mutant lost needs the source ")
                .hasMessageContaining("run ./interlock simulate from a checkout");
    }

    @Test
    void thePageHasEachMutantOnceAndCountsThem() throws IOException {
        List<Row> rows = rows();
        for (String strategy : Strategies.ALL.keySet()) {
            assertThat(rows.stream()
                            .filter(row -> row.strategy.equals(strategy))
                            .map(Row::mutant))
                    .as(strategy)
                    .containsExactlyInAnyOrderElementsOf(CodeMutants.of(strategy).stream()
                            .map(CodeMutant::name)
                            .toList());
            assertThat(Stream.concat(
                            CodeMutants.of(strategy).stream().map(CodeMutant::name),
                            Strategies.ALL.get(strategy).mutants().stream().map(Mutant::name)))
                    .doesNotHaveDuplicates();
        }
        assertThat(rows.stream().filter(Row::found).map(Row::says)).isSubsetOf(VIOLATIONS.keySet());
        long found = rows.stream().filter(Row::found).count();
        assertThat(section().replaceAll("\\s+", " "))
                .contains("There are " + rows.size() + ", of which " + found + " are found.");
    }

    /** The loaded simulation is a whole: the engine that it runs is the one with the error. */
    @Test
    void aSimulationRunsWithAMutant() {
        CodeMutant mutant =
                CodeMutants.find("set-nx-px", "renewal-is-never-planned").orElseThrow();
        StringWriter out = new StringWriter();
        assertThat(run(mutant, out, "--mutant", mutant.name(), "--seed", "11", "--trace"))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains("has lost \"a\", and nothing went wrong")
                .contains("--seed 11 --mutant renewal-is-never-planned --only");
    }

    @Test
    @Tag("deep")
    void mutantsAreFound() throws IOException {
        for (Row row : rows()) {
            if (row.found) {
                CodeMutant mutant = CodeMutants.find(row.strategy, row.mutant).orElseThrow();
                StringWriter out = new StringWriter();
                String[] args = {
                    "--strategy", row.strategy, "--mutant", row.mutant, "--seed", Integer.toString(row.seed), "--trace"
                };
                assertThat(run(mutant, out, args)).as("%s: %s", row, out).isEqualTo(1);
                assertThat(VIOLATIONS).as("the violations").containsKey(row.says);
                assertThat(out.toString()).containsPattern("(?m)^violation: .*" + VIOLATIONS.get(row.says));
            }
        }
    }
}
