// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Packages have few files and classes few lines, so that a reader can survey them. No two classes have one name.
 */
class PackagesTest {
    private static final Path ROOT = Path.of("../..");
    private static final int ROOM = 20;

    /** The packages that were larger when this rule was introduced; each number may only go down. */
    private static final Map<String, Integer> LARGER = Map.of("dev/interlock/engine", 23);

    private static final Path ENGINE = ROOT.resolve("engine/src/main/java");
    private static final int LINES = 250;

    /** The classes that were longer when this rule was introduced; each number may only go down. */
    private static final Map<String, Integer> LONGER = Map.of();

    /** The names that several classes have, each with the reason why nobody takes one for the other. */
    private static final Map<String, String> SHARED = Map.of(
            "Main", "what a tool starts with; only its launcher names it",
            "Settings", "the options of a strategy, which each reads in the same way, and which no other sees");

    /** The main sources of all modules, from the root of their packages on. */
    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.map(Path::toString)
                    .map(file -> file.replace('\\', '/'))
                    .filter(file -> file.contains("/src/main/java/") && file.endsWith(".java"))
                    .filter(file -> !file.matches(".*/(package|module)-info\\.java"))
                    .map(file -> file.replaceFirst(".*/src/main/java/", ""))
                    .toList();
        }
    }

    @Test
    void noPackageIsAHeap() throws IOException {
        Map<String, Long> sizes = sources().stream()
                .map(file -> file.replaceFirst("/[^/]*$", ""))
                .collect(Collectors.groupingBy(file -> file, TreeMap::new, Collectors.counting()));
        assertThat(sizes).containsKey("dev/interlock/tools/lab");

        sizes.keySet().removeIf(name -> sizes.get(name) <= LARGER.getOrDefault(name, ROOM));
        assertThat(sizes)
                .as("packages with too many files: split them by what they are about")
                .isEmpty();
    }

    @Test
    void noClassOfTheEngineIsALongRead() throws IOException {
        Map<String, Integer> lengths = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ENGINE)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                lengths.merge(
                        file.getFileName().toString(), Files.readAllLines(file).size(), Math::max);
            }
        }
        assertThat(lengths).containsKey("Cell.java");

        lengths.keySet().removeIf(name -> lengths.get(name) <= LONGER.getOrDefault(name, LINES));
        assertThat(lengths)
                .as("files of the engine with more than " + LINES
                        + " lines: give each of their jobs a class of its own")
                .isEmpty();
    }

    @Test
    void noTwoClassesShareAName() throws IOException {
        Map<String, List<String>> shared = sources().stream()
                // Each example is a program of its own.
                .filter(file -> file.startsWith("dev/"))
                .collect(Collectors.groupingBy(
                        file -> file.replaceFirst(".*/", "").replaceFirst("\\.java$", ""),
                        TreeMap::new,
                        Collectors.toList()));
        shared.values().removeIf(files -> files.size() == 1);
        assertThat(shared.keySet())
                .as("names that several classes have, in any module: rename one, or give a reason why nobody confuses"
                        + " them: " + shared)
                .isEqualTo(SHARED.keySet());
    }
}
