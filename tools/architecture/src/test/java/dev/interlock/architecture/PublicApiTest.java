// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The public API of each published module is listed in {@code docs/api}, so that no change of it goes unnoticed.
 * {@value #WRITE}=true writes the pages anew.
 */
class PublicApiTest {
    private static final String WRITE = "interlock.pages.write";
    private static final Path ROOT = Path.of("../..");
    private static final Path PAGES = ROOT.resolve("docs/api");
    private static final Pattern PUBLISHED = Pattern.compile("<artifactId>interlock-([a-z-]+)</artifactId>");
    private static final Pattern LEFT_OUT = Pattern.compile("<exclude>(dev\\.interlock\\.[a-z.]+)</exclude>");

    /** The names of the modules that the BOM manages, but for starters, which have dependencies and no classes. */
    static List<String> published() throws IOException {
        String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
        Matcher matcher = PUBLISHED.matcher(bom.substring(bom.indexOf("<dependencyManagement>")));
        return matcher.results()
                .map(result -> result.group(1))
                .filter(name -> !name.endsWith("-starter"))
                .sorted()
                .toList();
    }

    private static Path classesFolder(String module) {
        return Stream.of(module, "integrations/" + module, "tools/" + module)
                .map(name -> ROOT.resolve(name).resolve("target/classes"))
                .filter(Files::isDirectory)
                .findFirst()
                .orElseThrow(() -> new AssertionError("build " + module + " in one go with this module"));
    }

    /** The types of a module, whether they are exported or not. */
    private static List<Class<?>> types(String module) throws IOException, ClassNotFoundException {
        Path folder = classesFolder(module);
        List<Class<?>> types = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> !file.endsWith("module-info.class") && !file.endsWith("package-info.class"))
                    .toList()) {
                String name = folder.relativize(file).toString().replaceAll("[/\\\\]", ".");
                types.add(Class.forName(
                        name.substring(0, name.length() - ".class".length()),
                        false,
                        PublicApiTest.class.getClassLoader()));
            }
        }
        return types;
    }

    /**
     * Returns whether a module exports the package of a type to all. One that has no descriptor exports whatever it
     * has, and promises all but what its packages call internal.
     */
    private static Predicate<Class<?>> isExported(String module) throws IOException {
        Path descriptor = classesFolder(module).resolve("module-info.class");
        if (!Files.exists(descriptor)) {
            return type -> !type.getPackageName().matches(".*\\.internal(\\..*)?");
        }
        try (InputStream in = Files.newInputStream(descriptor)) {
            Set<String> packages = ModuleDescriptor.read(in).exports().stream()
                    .filter(exports -> !exports.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
            return type -> packages.contains(type.getPackageName());
        }
    }

    @ParameterizedTest
    @MethodSource("published")
    void thePublicApiOfAModuleIsTheOneThatIsWrittenDown(String module) throws Exception {
        Path page = PAGES.resolve(module + ".txt");
        String listing = "# The public API of interlock-" + module + ". Generated; see CONTRIBUTING.md, \"Changes\".\n"
                + ApiListing.of(
                        types(module).stream().filter(isExported(module)).toList());
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(page, listing);
        }
        assertThat(page)
                .as(
                        "the public API of %s, which is promised to its users. If it is to change, write the page anew and"
                                + " commit it together with the change and a line in CHANGELOG.md:%n"
                                + "mvn test -pl tools/architecture -am -Dtest=PublicApiTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -D%s=true%n",
                        module, WRITE)
                .exists()
                .hasContent(listing);
    }

    @Test
    void thereIsAPageForEachPublishedModuleAndForNoOther() throws IOException {
        try (Stream<Path> pages = Files.list(PAGES)) {
            assertThat(pages.map(page -> page.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            published().stream().map(name -> name + ".txt").toList());
        }
        assertThat(published()).contains("api", "engine", "redis", "conformance-tests");
    }

    @Test
    void theComparisonWithAReleasedVersionLeavesOutWhatNoModuleExports() throws Exception {
        Set<String> internal = new TreeSet<>();
        for (String module : published()) {
            types(module).stream()
                    .filter(isExported(module).negate())
                    .map(Class::getPackageName)
                    .forEach(internal::add);
        }
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        assertThat(LEFT_OUT.matcher(pom).results().map(result -> result.group(1)))
                .as("the packages that the profile api-compat excludes")
                .containsExactlyInAnyOrderElementsOf(internal);
    }
}
