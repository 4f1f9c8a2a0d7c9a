// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.interlock.DistributedLocks;
import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No strategy leaves the kit out, or a part of it. */
class ConformanceCoverageTest {
    private static final Path ROOT = Path.of("../..");
    private static final Map<Path, List<JavaClass>> SUBCLASSES_OF_THE_KIT = new ConcurrentHashMap<>();

    static List<LockStrategyProvider> strategies() {
        return DistributedLocks.strategies().stream()
                .filter(provider -> !home(provider).endsWith("test-classes"))
                .toList();
    }

    private static Path home(LockStrategyProvider provider) {
        try {
            return Path.of(provider.getClass()
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** The classes in the tests of the strategy's module that run the kit on it. */
    private static List<JavaClass> kitsOf(LockStrategyProvider provider) {
        Path tests = ROOT.resolve("strategy-" + provider.name()).resolve("target/test-classes");
        assertThat(tests)
                .as("the compiled tests of " + provider.name() + ": build the module in one go with this one")
                .isDirectory();
        return subclassesOfTheKit(tests).stream()
                .filter(type -> type.getSimpleName().endsWith("ConformanceTest"))
                .filter(type -> type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(it -> it.getTargetClass().isEquivalentTo(provider.getClass())))
                .toList();
    }

    /** Each directory is read once. */
    private static List<JavaClass> subclassesOfTheKit(Path classes) {
        return SUBCLASSES_OF_THE_KIT.computeIfAbsent(classes, ConformanceCoverageTest::readSubclassesOfTheKit);
    }

    private static List<JavaClass> readSubclassesOfTheKit(Path classes) {
        // The libraries that tests use would all be read too.
        JavaClasses imported = ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter().importPath(classes);
        });
        return imported.stream()
                .filter(type -> type.isAssignableTo(DistributedLockConformance.class))
                .toList();
    }

    @Test
    void strategiesAreInstalled() {
        assertThat(strategies()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void everyStrategyRunsTheKit(LockStrategyProvider provider) {
        assertThat(kitsOf(provider))
                .as("classes named ...ConformanceTest that run the kit on " + provider.name())
                .isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void everyStrategyWithAChoiceOfClientsRunsTheKitWithEach(LockStrategyProvider provider) {
        Optional<StrategyOption> option = provider.options().stream()
                .filter(it -> it.name().equals("client"))
                .findAny();
        if (option.isEmpty()) {
            return;
        }
        List<String> choice = clients().stream()
                .filter(client -> isWordOf(option.get().description(), client))
                .toList();
        assertThat(choice)
                .as("clients in \"" + option.get().description() + "\"")
                .hasSizeGreaterThan(1);
        for (String client : choice) {
            assertThat(kitsOf(provider))
                    .as("classes that run the kit on " + provider.name() + " and say \"" + client + "\"")
                    .anyMatch(type -> says(type, client));
        }
    }

    /** The client libraries for which there is an adapter. */
    private static List<String> clients() {
        return Arrays.stream(ClientLibrary.values())
                .map(library -> library.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    /**
     * Returns whether a class has a word in its constants, be it of code or of an annotation, perhaps in a row of
     * several values.
     */
    private static boolean says(JavaClass type, String word) {
        try {
            byte[] bytes =
                    Files.readAllBytes(Path.of(type.getSource().orElseThrow().getUri()));
            return isWordOf(new String(bytes, StandardCharsets.ISO_8859_1), word);
        } catch (IOException e) {
            throw new AssertionError("cannot read " + type, e);
        }
    }

    /** Returns whether a text has a word that is no part of a name or a path, where other classes are named. */
    private static boolean isWordOf(String text, String word) {
        return Pattern.compile("(?<![\\w/.])" + word + "(?![\\w/.])")
                .matcher(text)
                .find();
    }

    @Test
    void whoeverRunsTheKitAddsNoRulesOfTheirOwn() throws IOException {
        List<JavaClass> kits = new ArrayList<>();
        try (Stream<Path> folders = Files.walk(ROOT, 4)) {
            folders.filter(folder -> folder.endsWith("target/test-classes"))
                    .filter(Files::isDirectory)
                    .forEach(tests -> kits.addAll(subclassesOfTheKit(tests)));
        }
        assertThat(kits).isNotEmpty();
        assertThat(kits)
                .as("a method named as a rule would be one that other strategies need not keep")
                .allSatisfy(kit -> assertThat(kit.getMethods())
                        .noneMatch(method -> method.getName().startsWith("rule_")));
        assertThat(kits)
                .as("rules are found in one flat class, so that a report has one line for each")
                .allSatisfy(kit -> assertThat(kit.getPackage().getClasses())
                        .noneMatch(type ->
                                type.getName().startsWith(kit.getName() + "$") && type.isAnnotatedWith(Nested.class)));
    }
}
