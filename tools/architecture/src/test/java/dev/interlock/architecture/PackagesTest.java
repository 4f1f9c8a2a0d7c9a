// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Packages have few files and classes few lines, so that a reader can survey them. No two classes have one name, and no
 * two scripts.
 */
class PackagesTest {
    private static final Path ROOT = Path.of("../..");
    private static final int ROOM = 20;

    /**
     * The packages that were larger when this rule was introduced; each number may only go down. In that of the engine
     * nearly each class calls package-private methods of others, so that a smaller room would make those public.
     */
    private static final Map<String, Integer> LARGER = Map.of("dev/interlock/engine", 23);

    /** A package of tests may have a few more files, since changes that are made side by side each add some. */
    private static final int TESTS = 24;

    private static final Path ENGINE = ROOT.resolve("engine/src/main/java");
    private static final int LINES = 250;

    /** The classes that were longer when this rule was introduced; each number may only go down. */
    private static final Map<String, Integer> LONGER = Map.of();

    /** The names that several classes have, each with the reason why nobody takes one for the other. */
    private static final Map<String, String> SHARED = Map.of(
            "Main", "what a tool starts with; only its launcher names it",
            "Settings", "the options of a strategy, which each reads in the same way, and which no other sees");

    /**
     * The names that a helper of tests shared with another class when this rule was introduced, and that the tests of
     * each module would miss: four strategies each have a fixture, and the kit and {@code tools/peers} each have peers.
     * One that is unique now leaves the list, and none may come.
     */
    private static final Set<String> SHARED_BY_HELPERS = Set.of("Fixture", "Peer");

    /** Tests that were once two of one name; other tests have the name of their subject, in each strategy. */
    private static final Set<String> UNIQUE_TESTS = Set.of("TlsTest", "RedissonTlsTest");

    /** The main sources of all modules, from the root of their packages on. */
    private static List<String> sources() throws IOException {
        return sources("main");
    }

    /** The sources of all modules that lie in a directory of {@code src}. */
    private static List<String> sources(String directory) throws IOException {
        return files(directory).stream()
                .map(file -> file.replaceFirst(".*/src/" + directory + "/java/", ""))
                .toList();
    }

    /** The sources of all modules that lie in a directory of {@code src}, with the paths of their modules. */
    private static List<String> files(String directory) throws IOException {
        String part = "/src/" + directory + "/java/";
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.map(file -> ROOT.relativize(file).toString())
                    .map(file -> file.replace('\\', '/'))
                    .filter(file -> file.contains(part) && file.endsWith(".java"))
                    .filter(file -> !file.matches(".*/(package|module)-info\\.java"))
                    .toList();
        }
    }

    @Test
    void noPackageIsAHeap() throws IOException {
        Map<String, Long> sizes = sizes(sources());
        assertThat(sizes).containsKey("dev/interlock/tools/lab");

        sizes.keySet().removeIf(name -> sizes.get(name) <= LARGER.getOrDefault(name, ROOM));
        assertThat(sizes)
                .as("packages with too many files: split them by what they are about")
                .isEmpty();
    }

    @Test
    void noPackageOfTestsIsAHeap() throws IOException {
        // By module: tests of two modules may be in packages of one name, which nobody reads together.
        Map<String, Long> sizes = sizes(files("test"));
        assertThat(sizes).containsKey("engine/src/test/java/dev/interlock/engine");

        sizes.values().removeIf(size -> size <= TESTS);
        assertThat(sizes)
                .as("packages with too many tests: split them by what they are about")
                .isEmpty();
    }

    /** The numbers of files in each directory that has some. */
    private static Map<String, Long> sizes(List<String> files) {
        return files.stream()
                .map(file -> file.replaceFirst("/[^/]*$", ""))
                .collect(Collectors.groupingBy(file -> file, TreeMap::new, Collectors.counting()));
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
        Map<String, List<String>> shared = shared(sources().stream());
        assertThat(shared.keySet())
                .as("names that several classes have, in any module: rename one, or give a reason why nobody confuses"
                        + " them: " + shared)
                .isEqualTo(SHARED.keySet());
    }

    @Test
    void noHelperOfTestsSharesItsNameWithAnotherClass() throws IOException {
        List<String> tests = sources("test");
        Map<String, List<String>> shared = shared(Stream.concat(sources().stream(), tests.stream()));
        shared.values().removeIf(files -> files.stream().noneMatch(tests::contains));
        shared.keySet().removeIf(name -> name.endsWith("Test") && !UNIQUE_TESTS.contains(name));
        assertThat(shared.keySet())
                .as("names that a helper of tests shares, in any module: rename one: " + shared)
                .isEqualTo(SHARED_BY_HELPERS);
        assertThat(tests.stream().map(PackagesTest::nameOf)).containsAll(UNIQUE_TESTS);
    }

    @Test
    void noTwoScriptsShareAName() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            Map<String, List<String>> shared = files.map(
                            file -> ROOT.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> file.contains("/src/") && file.endsWith(".lua"))
                    .collect(Collectors.groupingBy(PackagesTest::nameOf, TreeMap::new, Collectors.toList()));
            assertThat(shared).containsKey("fence.lua");

            shared.values().removeIf(scripts -> scripts.size() == 1);
            assertThat(shared)
                    .as("names that several scripts have, in any module: put the name of their strategy in front")
                    .isEmpty();
        }
    }

    /** The files of each name that several of them have. */
    private static Map<String, List<String>> shared(Stream<String> sources) {
        Map<String, List<String>> shared = sources
                // Each example is a program of its own.
                .filter(file -> file.startsWith("dev/"))
                .collect(Collectors.groupingBy(PackagesTest::nameOf, TreeMap::new, Collectors.toList()));
        shared.values().removeIf(files -> files.size() == 1);
        return shared;
    }

    private static String nameOf(String file) {
        return file.replaceFirst(".*/", "").replaceFirst("\\.java$", "");
    }
}
