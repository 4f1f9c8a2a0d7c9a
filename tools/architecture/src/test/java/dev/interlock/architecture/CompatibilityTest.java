// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static dev.interlock.architecture.BuildFiles.pom;
import static dev.interlock.architecture.BuildFiles.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of compatible versions in the README names the versions that the build uses. */
class CompatibilityTest {
    private static final Pattern ROW =
            Pattern.compile("^\\| (\\w[\\w ]*?)(?: \\(.*?\\))? \\| ([^|]+) \\| ([^|]+) \\|$");
    private static final Pattern LEG = Pattern.compile("\\$\\(find_jdk ([0-9]+)\\)");
    private static final Pattern MATRIX = Pattern.compile("java: \\[([0-9, ]+)]");
    private static final Pattern IMAGE = Pattern.compile("\\b(redis|valkey):([0-9.]+)");

    /** A row: the oldest version that will do, and those that tests run with. */
    private record Row(String from, String tested) {}

    private static String read(String file) throws IOException {
        return Files.readString(BuildFiles.ROOT.resolve(file));
    }

    private static Map<String, Row> table() throws IOException {
        String readme = read("README.md");
        int heading = readme.indexOf("### Compatible versions\n");
        assertThat(heading).as("the table of compatible versions in the README").isPositive();
        Map<String, Row> rows = new LinkedHashMap<>();
        readme.substring(heading)
                .lines()
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .forEach(line -> {
                    Matcher matcher = ROW.matcher(line);
                    if (matcher.matches()) {
                        rows.put(matcher.group(1), new Row(matcher.group(2), matcher.group(3)));
                    }
                });
        assertThat(rows).containsKeys("JDK", "Redis", "Valkey", "Jedis", "Lettuce", "Redisson");
        return rows;
    }

    @Test
    void theJdksAreTheOneThatTheClassesAreCompiledForAndThatOfTheDeepLegAndTheWorkflowHasBoth() throws IOException {
        Row row = table().get("JDK");
        assertThat(text(pom(""), "properties", "maven.compiler.release")).contains(row.from());
        List<String> legs =
                LEG.matcher(read(".ci/run")).results().map(leg -> leg.group(1)).toList();
        assertThat(legs).startsWith(row.from());
        assertThat(row.tested()).isEqualTo(String.join(", ", legs));
        Matcher matrix = MATRIX.matcher(read(".github/workflows/build.yml"));
        assertThat(matrix.find()).isTrue();
        assertThat(matrix.group(1).split(", ")).contains(row.tested().split(", "));
    }

    @Test
    void theServersAreThoseOfTheLegWithContainers() throws IOException {
        Map<String, TreeSet<String>> images = new LinkedHashMap<>();
        Matcher matcher = IMAGE.matcher(read(".ci/run"));
        while (matcher.find()) {
            images.computeIfAbsent(matcher.group(1), name -> new TreeSet<>()).add(matcher.group(2));
        }
        assertThat(String.join(", ", images.get("redis")))
                .isEqualTo(table().get("Redis").tested());
        assertThat(String.join(", ", images.get("valkey")))
                .isEqualTo(table().get("Valkey").tested());
        for (String server : List.of("Redis", "Valkey")) {
            Row row = table().get(server);
            assertThat(row.tested().split(", ")[0]).isEqualTo(row.from());
        }
        assertThat(read("redis/src/main/java/dev/interlock/redis/ServerExamination.java"))
                .contains("LEAST_VERSION = " + table().get("Redis").from().replace(".0", "") + ";");
    }

    /** The versions that the build uses are tested: first those that a module sets for itself, which are older ones. */
    @ParameterizedTest
    @CsvSource({
        "Jedis, jedis.version",
        "Lettuce, lettuce.version",
        "Redisson, redisson.version",
        "Spring Boot, spring-boot.version"
    })
    void theLibrariesAreThoseOfTheBuild(String name, String property) throws IOException {
        Set<String> used = new LinkedHashSet<>();
        for (String module : BuildFiles.modules()) {
            text(pom(module), "properties", property).ifPresent(used::add);
        }
        text(pom(""), "properties", property).ifPresent(used::add);
        Row row = table().get(name);
        if (used.isEmpty()) {
            assertThat(row)
                    .as("the row of a library that the build does not use")
                    .isNull();
        } else {
            assertThat(row).isEqualTo(new Row(used.iterator().next(), String.join(", ", used)));
        }
    }
}
