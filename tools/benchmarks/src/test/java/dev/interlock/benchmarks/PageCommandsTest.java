// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.tools.site.CodeBlock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Every command on the pages can be typed as it stands there: its subcommands, options and values exist, and so do the
 * modules, profiles, tests and properties that it gives to Maven. {@link PageCommandsRunTest} runs some of them. This
 * module is the one that has all commands on its class path.
 */
class PageCommandsTest {
    private static final Path ROOT = Path.of("../..");

    /** Programs that the reader has from elsewhere, and what the shell itself understands. */
    private static final Set<String> FOREIGN = Set.of(
            "cd",
            "curl",
            "diff",
            "docker",
            "git",
            "java",
            "jcmd",
            "jfr",
            "kill",
            "mkdir",
            "redis-cli",
            "redis-server",
            "sha256sum");

    /** A definition of a shell function, and a call of it. */
    private static final Pattern FUNCTION = Pattern.compile("verdicts\\(\\).*");

    /** The commands that the launcher starts from other modules than that of the command line. */
    private static final Map<String, String> BENCHMARKS = Map.of(
            "bench", "dev.interlock.benchmarks.BenchCommand",
            "scale", "dev.interlock.benchmarks.scale.ScaleCommand",
            "simulate", "dev.interlock.simulation.run.SimulateCommand");

    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");
    private static final Pattern PROFILE = Pattern.compile("<profile>\\s*(?:<!--[^>]*-->\\s*)?<id>([^<]+)</id>");
    private static final Set<String> GOALS = Set.of(
            "clean",
            "compile",
            "test",
            "package",
            "verify",
            "install",
            "deploy",
            "spotless:apply",
            "dependency:build-classpath",
            "dependency:copy-dependencies");

    private static List<CodeBlock> code;
    private static String sources;
    private static Set<String> tests;

    @BeforeAll
    static void read() throws IOException {
        code = CodeBlock.all(ROOT);
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(ROOT)) {
            List<Path> java = files.filter(file -> file.toString().endsWith(".java") || file.endsWith("pom.xml"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .toList();
            for (Path file : java) {
                text.append(Files.readString(file)).append('\n');
            }
            tests = java.stream()
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
        }
        sources = text.toString();
    }

    @Test
    void everyCommandOfThePagesCanBeTyped() {
        List<String> wrong = new ArrayList<>();
        int launched = 0;
        int built = 0;
        for (CodeBlock block : code) {
            for (String command : commands(block)) {
                List<String> words = words(command);
                try {
                    switch (words.get(0)) {
                        case "./interlock" -> {
                            launched++;
                            parse(words.subList(1, words.size()));
                        }
                        case "mvn" -> {
                            built++;
                            checkMaven(words.subList(1, words.size()));
                        }
                        default -> checkProgram(words.get(0));
                    }
                } catch (IllegalArgumentException | CommandLine.ParameterException e) {
                    wrong.add(block.place() + ": " + command + ": " + e.getMessage());
                }
            }
        }
        assertThat(wrong).as("commands on pages that cannot be typed").isEmpty();
        assertThat(launched).isGreaterThan(40);
        assertThat(built).isGreaterThan(15);
    }

    /** The commands in a block of shell; in other code, those that begin as one of ours does. */
    static List<String> commands(CodeBlock block) {
        String joined = block.text().replace("\\\n", " ");
        if (block.language().equals(CodeBlock.SPAN)) {
            return isOurs(joined) ? List.of(joined.replace('\n', ' ')) : List.of();
        }
        return joined.lines()
                .map(line -> line.replaceFirst("^\\$ ", "")
                        .replaceFirst("(^|\\s+)#.*", "")
                        .strip())
                .filter(not(String::isEmpty))
                .filter(line -> block.language().equals("sh") || isOurs(line))
                .filter(line -> !FUNCTION.matcher(line).matches())
                .flatMap(line -> Arrays.stream(line.split("\\s(?:&&|\\|)\\s")))
                .map(line -> line.replaceFirst("\\s*&$", ""))
                .toList();
    }

    private static boolean isOurs(String line) {
        return line.startsWith("./interlock ") || line.startsWith("mvn ") || line.startsWith("docker ");
    }

    static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(command.replaceAll("<\\w[^>]*>", "…"));
        while (matcher.find()) {
            words.add(matcher.group().replaceAll("['\"]", ""));
        }
        // Variables of the environment stand before the program.
        while (words.size() > 1 && words.get(0).matches("[A-Z_]+=.*")) {
            words.remove(0);
        }
        return words;
    }

    private static void checkProgram(String program) {
        boolean known = program.contains("/") ? Files.isExecutable(ROOT.resolve(program)) : FOREIGN.contains(program);
        if (!known) {
            throw new IllegalArgumentException("there is no program " + program
                    + ": correct the page, or add the program to those that readers have from elsewhere");
        }
    }

    /**
     * Parses the arguments of the launcher, as the launcher would, and runs nothing. Where the page leaves something
     * out ({@code …}) or names a kind of value ({@code NAME}), subcommands and options alone are looked at.
     */
    private static void parse(List<String> arguments) {
        CommandLine command = launched(arguments);
        List<String> rest = withoutProgram(arguments);
        if (isWhole(rest)) {
            try {
                command.parseArgs(rest.toArray(String[]::new));
                return;
            } catch (CommandLine.MissingParameterException e) {
                // A sentence may name a command without what it needs; what it does name is looked at below.
            }
        }
        for (String word : rest) {
            if (word.startsWith("-")) {
                if (command.getCommandSpec().findOption(word.replaceFirst("=.*", "")) == null) {
                    throw new IllegalArgumentException("there is no option " + word);
                }
            } else if (command.getSubcommands().containsKey(word)) {
                command = command.getSubcommands().get(word);
            } else if (command.getCommandSpec().subcommands().size() > 1
                    && command.getCommandSpec().positionalParameters().isEmpty()
                    && command.getCommandSpec().options().stream()
                            .noneMatch(option -> option.arity().max() > 0)) {
                throw new IllegalArgumentException("there is no command " + word);
            }
        }
    }

    /** The command line that the launcher starts for some arguments. */
    private static CommandLine launched(List<String> arguments) {
        String benchmark = BENCHMARKS.get(arguments.get(0));
        return new CommandLine(benchmark == null ? dev.interlock.tools.cli.Main.class : type(benchmark));
    }

    /** The arguments that are left when the launcher has chosen what to start. */
    private static List<String> withoutProgram(List<String> arguments) {
        return BENCHMARKS.containsKey(arguments.get(0)) ? arguments.subList(1, arguments.size()) : arguments;
    }

    private static boolean isWhole(List<String> arguments) {
        return arguments.stream().noneMatch(word -> word.matches(".*…|\\.\\.\\.|[A-Z]+"));
    }

    /**
     * Every value is one that its command knows. The commands themselves say so: each is run with a last argument that
     * it refuses after all others and before it does anything.
     */
    @Test
    void everyValueOnThePagesIsOneThatItsCommandKnows(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Map<List<String>, String> commands = new LinkedHashMap<>();
        for (CodeBlock block : code) {
            for (String command : commands(block)) {
                List<String> words = words(command);
                if (words.size() > 1 && words.get(0).equals("./interlock")) {
                    List<String> arguments = words.subList(1, words.size());
                    if (hasValues(arguments) && isWhole(arguments) && isComplete(arguments)) {
                        commands.putIfAbsent(arguments, block.place());
                    }
                }
            }
        }
        List<String> wrong = new ArrayList<>();
        commands.forEach((arguments, place) -> {
            String refusal = refusal(arguments, file);
            if (!isLast(refusal, file)) {
                wrong.add(place + ": " + String.join(" ", arguments) + ": " + refusal);
            }
        });
        assertThat(wrong).as("commands with values that do not exist").isEmpty();
        assertThat(commands).hasSizeGreaterThan(25);
    }

    /** A sentence may name an option without its value. */
    private static boolean isComplete(List<String> arguments) {
        try {
            launched(arguments).parseArgs(withoutProgram(arguments).toArray(String[]::new));
            return true;
        } catch (CommandLine.MissingParameterException e) {
            return false;
        }
    }

    /** Commands that check their values against what there is. JMH alone runs the engine, without any. */
    private static boolean hasValues(List<String> arguments) {
        return Set.of("compare", "conformance", "faults", "bench", "scale", "simulate")
                        .contains(arguments.get(0))
                && !arguments.contains("--engine");
    }

    private static boolean isLast(String refusal, Path file) {
        return refusal.startsWith("--out: ") && refusal.contains(file.toString())
                || refusal.equals("--seeds and --jobs must be 1 at least");
    }

    /** Says why a command does not begin: its report cannot be written, or, if it has none, it has nothing to do. */
    private static String refusal(List<String> arguments, Path file) {
        List<String> tried = new ArrayList<>();
        List<String> rest = withoutProgram(arguments);
        boolean simulates = arguments.get(0).equals("simulate");
        for (int i = 0; i < rest.size(); i++) {
            if (Set.of("--out", "--histories", "--document", "--with").contains(rest.get(i))
                    || simulates && Set.of("--seeds", "--only").contains(rest.get(i))) {
                i++;
            } else if (!simulates || !rest.get(i).equals("--trace")) {
                tried.add(rest.get(i));
            }
        }
        tried.addAll(
                simulates
                        ? List.of("--seeds", "0")
                        : List.of("--out", file.resolve("report").toString()));
        StringBuilder refusal = new StringBuilder();
        PrintWriter nobody = new PrintWriter(Writer.nullWriter());
        CommandLine command = launched(arguments).setOut(nobody).setErr(nobody);
        command.setParameterExceptionHandler((error, all) -> {
            refusal.append(error.getMessage());
            return 2;
        });
        command.setExecutionExceptionHandler((error, failed, parsed) -> {
            refusal.append(error);
            return 1;
        });
        int exit = command.execute(tried.toArray(String[]::new));
        return refusal.isEmpty() ? "it began, and ended with exit code " + exit : refusal.toString();
    }

    @Test
    void aValueThatDoesNotExistIsTold(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        for (String command : List.of(
                "faults --fault nonsense",
                "faults --strategy nonsense",
                "faults --option nonsense=1",
                "compare --only nonsense",
                "compare --strategy nonsense",
                "compare --option nonsense=1",
                "compare --option wakeup=nonsense",
                "conformance --chapter nonsense",
                "conformance --rule nonsense",
                "conformance --strategy nonsense",
                "conformance --option wakeup=nonsense",
                "bench --scenario nonsense",
                "bench --candidate nonsense",
                "bench --topology nonsense",
                "bench --rtt nonsense",
                "scale --candidate nonsense",
                "scale --topology nonsense",
                "simulate --strategy nonsense",
                "simulate --option nonsense=1",
                "simulate --without nonsense",
                "simulate --mutant nonsense")) {
            String refusal = refusal(words(command), file);
            assertThat(refusal).as(command).contains("nonsense");
            assertThat(isLast(refusal, file)).as(command).isFalse();
        }
        assertThat(isLast(refusal(words("faults --fault killed"), file), file)).isTrue();
        assertThat(isLast(refusal(words("simulate --mutant renew-extends-nothing"), file), file))
                .isTrue();
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static void checkMaven(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i);
            if (word.startsWith("-P")) {
                for (String profile : word.substring(2).split(",")) {
                    require(
                            PROFILE.matcher(sources)
                                    .results()
                                    .anyMatch(found -> found.group(1).equals(profile)),
                            "there is no profile " + profile);
                }
            } else if (word.equals("-pl")) {
                i++;
                for (String module : arguments.get(i).split(",")) {
                    require(
                            module.startsWith("$(")
                                    || Files.exists(ROOT.resolve(module).resolve("pom.xml")),
                            "there is no module " + module);
                }
            } else if (word.startsWith("-Dtest=")) {
                Pattern pattern = Pattern.compile(
                        word.replaceFirst("-Dtest=", "").replaceFirst("#.*", "").replace("*", ".*"));
                require(tests.stream().anyMatch(pattern.asMatchPredicate()), "there is no test " + pattern);
            } else if (word.startsWith("-Dinterlock.") || word.startsWith("-Dapi.")) {
                String property = word.substring(2).replaceFirst("=.*", "");
                require(sources.contains(property), "nothing reads the property " + property);
            } else if (!word.startsWith("-") && !word.equals("…") && !word.equals("...")) {
                require(GOALS.contains(word), "there is no goal " + word);
            }
        }
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    @Test
    void aCommandThatDoesNotExistIsTold() {
        assertThatThrownBy(() -> parse(words("compare --nothing"))).hasMessageContaining("--nothing");
        assertThatThrownBy(() -> parse(words("locks show NAME --nothing"))).hasMessageContaining("--nothing");
        assertThatThrownBy(() -> parse(words("nothing"))).hasMessageContaining("nothing");
        assertThatThrownBy(() -> parse(words("scale --nothing"))).hasMessageContaining("--nothing");
        assertThatThrownBy(() -> checkMaven(words("verify -Pnothing"))).hasMessageContaining("no profile nothing");
        assertThatThrownBy(() -> checkMaven(words("verify -pl nothing"))).hasMessageContaining("no module nothing");
        assertThatThrownBy(() -> checkMaven(words("-Dtest='Nothing*'"))).hasMessageContaining("no test Nothing");
        assertThatThrownBy(() -> checkMaven(words("-Dinterlock.no" + "thing=1")))
                .hasMessageContaining("nothing reads");
        assertThatThrownBy(() -> checkProgram("nothing")).hasMessageContaining("no program nothing");
        assertThatThrownBy(() -> checkProgram(".ci/nothing")).hasMessageContaining("no program .ci/nothing");
    }
}
