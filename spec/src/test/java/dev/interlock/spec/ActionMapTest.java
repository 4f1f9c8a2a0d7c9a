// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page that maps each action to code names all actions, and code that exists. */
class ActionMapTest {
    private static final Path PAGE = Path.of("..", "docs", "proof-map.md");

    /** A quoted piece, or the name of a file; no link to a section. */
    private static final Pattern PIECE = Pattern.compile("`([^`]+)`|\\[([^]]+)](?!\\()");

    private static final Pattern FILE = Pattern.compile("(?m)^\\[([^]]+)]: (\\S+)$");

    private static final Pattern OPERATOR = Pattern.compile("(?m)^([A-Z]\\w*)(?:\\([^=]*\\))? ==");

    private static final Pattern NEXT = Pattern.compile("(?ms)^Next ==\\n(.+?)\\n\\s*\\n");

    /** One row: the actions and operators of the module, the pieces of code by file, and what is left out. */
    private record Row(List<String> actions, Map<String, List<String>> code, String leftOut) {}

    private static List<Row> rows(String page, String module) {
        Matcher section = Pattern.compile("(?ms)^## " + module + "\\n(.+?)(?=^## |^\\[|\\z)")
                .matcher(page);
        assertThat(section.find()).as("a section " + module).isTrue();
        List<Row> rows = new ArrayList<>();
        for (String line : section.group(1).lines().toList()) {
            if (line.startsWith("| `")) {
                String[] cells = line.split("\\|", -1);
                assertThat(cells).as("the cells of " + line).hasSize(5);
                rows.add(new Row(quoted(cells[1]), code(cells[2]), cells[3].strip()));
            }
        }
        assertThat(rows).as("rows of " + module).isNotEmpty();
        return rows;
    }

    private static List<String> quoted(String cell) {
        return PIECE.matcher(cell).results().map(piece -> piece.group(1)).toList();
    }

    private static Map<String, List<String>> code(String cell) {
        Map<String, List<String>> code = new HashMap<>();
        String file = "";
        for (MatchResult piece : PIECE.matcher(cell).results().toList()) {
            if (piece.group(2) != null) {
                file = piece.group(2);
            } else {
                assertThat(file).as("the file of " + piece.group(1)).isNotEmpty();
            }
            List<String> pieces = code.computeIfAbsent(file, name -> new ArrayList<>());
            if (piece.group(1) != null) {
                pieces.add(piece.group(1));
            }
        }
        return code;
    }

    private static Map<String, Path> files(String page) {
        return FILE.matcher(page)
                .results()
                .collect(Collectors.toMap(
                        file -> file.group(1),
                        file -> PAGE.resolveSibling(file.group(2)).normalize()));
    }

    private static String module(String name) throws IOException {
        Path file = Stream.of("lease", "setnxpx", "redlock")
                .map(directory -> Path.of(directory, name + ".tla"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow();
        return Files.readString(file);
    }

    private static Set<String> operators(String module) {
        return OPERATOR.matcher(module).results().map(it -> it.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> actions(String module) {
        Matcher next = NEXT.matcher(module);
        assertThat(next.find()).as("the operator Next").isTrue();
        Set<String> actions = new TreeSet<>();
        Pattern.compile("[A-Z]\\w*")
                .matcher(next.group(1).replaceAll("\\\\E \\w+ \\\\in \\w+", ""))
                .results()
                .forEach(name -> actions.add(name.group()));
        actions.retainAll(operators(module));
        return actions;
    }

    /** Tells what is wrong with a piece of a file; a single word must be a method or a function that is declared. */
    private static Stream<String> problem(String file, String text, String piece) {
        if (!piece.matches("\\w+")) {
            int first = text.indexOf(piece);
            return first >= 0 && first == text.lastIndexOf(piece)
                    ? Stream.of()
                    : Stream.of(file + " has not once: " + piece);
        }
        String declaration = file.endsWith(".lua")
                ? "(?m)^local function " + piece + "\\("
                : "(?m)^    \\w[\\w.@<>\\[\\]?, ]* " + piece + "\\(";
        return Pattern.compile(declaration).matcher(text).find()
                ? Stream.of()
                : Stream.of(file + " does not declare: " + piece);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Lease", "HandOver", "SignalQueue", "ReadWrite", "LeadQueue", "JointQuorum"})
    void eachActionHasCodeThatExists(String name) throws IOException {
        String page = Files.readString(PAGE);
        String module = module(name);
        Map<String, Path> files = files(page);
        Set<String> mapped = new TreeSet<>();
        List<String> problems = new ArrayList<>();
        for (Row row : rows(page, name)) {
            row.actions().stream()
                    .filter(action -> !mapped.add(action))
                    .forEach(action -> problems.add(action + " stands there twice"));
            if (row.code().isEmpty() && row.leftOut().isEmpty()) {
                problems.add(row.actions() + " has neither code nor a reason why there is none");
            }
            for (Map.Entry<String, List<String>> code : row.code().entrySet()) {
                Path file = files.get(code.getKey());
                if (file == null || !Files.isRegularFile(file)) {
                    problems.add(row.actions() + ": there is no file " + code.getKey());
                    continue;
                }
                if (code.getValue().isEmpty()) {
                    problems.add(row.actions() + ": says of " + code.getKey() + " only that it is that file");
                }
                String text = Files.readString(file);
                code.getValue().stream()
                        .flatMap(piece -> problem(file.getFileName().toString(), text, piece))
                        .forEach(problem -> problems.add(row.actions() + ": " + problem));
            }
        }
        assertThat(problems).as("wrong entries of " + name).isEmpty();
        assertThat(mapped).as("actions of " + name + " in " + PAGE).containsAll(actions(module));
        assertThat(operators(module)).as("operators of " + name).containsAll(mapped);
    }

    @Test
    void theActionsOfAModuleAreReadFromNext() throws IOException {
        assertThat(actions(module("JointQuorum")))
                .containsExactlyInAnyOrder(
                        "Start",
                        "Found",
                        "Extend",
                        "Counts",
                        "Ends",
                        "IsToldBy",
                        "Answers",
                        "Restores",
                        "Begin",
                        "Wait",
                        "Overtaken",
                        "End",
                        "Finish",
                        "Crash",
                        "Tell",
                        "Publish",
                        "Forget",
                        "Tick");
    }

    @Test
    void aNameThatIsOnlyCalledIsNotDeclared() {
        assertThat(problem("A.java", "class A {\n    void b() {\n        c();\n        return d();\n", "c"))
                .isNotEmpty();
        assertThat(problem("A.java", "class A {\n    void b() {\n        c();\n        return d();\n", "d"))
                .isNotEmpty();
        assertThat(problem("A.java", "class A {\n    void b() {\n        c();\n", "b"))
                .isEmpty();
        assertThat(problem("a.lua", "local function a(b)\n  c(d)\n", "a")).isEmpty();
        assertThat(problem("a.lua", "local function a(b)\n  c(d)\n", "c")).isNotEmpty();
        assertThat(problem("a.lua", "c(d)\nc(d)\n", "c(d)")).isNotEmpty();
    }
}
