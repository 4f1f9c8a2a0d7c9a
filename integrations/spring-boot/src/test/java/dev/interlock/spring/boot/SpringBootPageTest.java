// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page on Spring Boot shows code that compiles, and leaves out no property. */
class SpringBootPageTest {
    private static final Path PAGE = Path.of("../../docs/spring-boot.md");
    private static final Pattern OLDER_CLIENT = Pattern.compile(
            "<artifactId>(?:jedis|lettuce-core)</artifactId>\\s*<version>([0-9.]+?)(?:\\.RELEASE)?</version>");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void itsJavaCompiles(@TempDir Path directory) throws IOException {
        String blocks = JAVA.matcher(Files.readString(PAGE))
                .results()
                .map(MatchResult::group)
                .map(block -> block.replaceAll("```(java)?", "").replace("{ … }", "{}"))
                .collect(Collectors.joining("\n"));
        assertThat(blocks).contains("@Locked", "DistributedLockFactory", "SKIP");
        Path source = directory.resolve("Page.java");
        Files.writeString(
                source,
                "import dev.interlock.*; import dev.interlock.spring.*; import org.springframework.stereotype.*;\n"
                        + "import org.springframework.scheduling.annotation.*;\n"
                        + "import org.springframework.transaction.annotation.*;\n"
                        + "import org.springframework.web.bind.annotation.*;\n"
                        + "class Page { void store(String month, long token) {}\n" + blocks + "}");
        StringWriter errors = new StringWriter();
        ToolProvider.getSystemJavaCompiler()
                .getTask(
                        errors,
                        null,
                        null,
                        List.of("-proc:none", "-d", directory.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        ToolProvider.getSystemJavaCompiler()
                                .getStandardFileManager(null, null, null)
                                .getJavaFileObjects(source))
                .call();
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void itNamesEachProperty() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(ConfigurationMetadataTest.properties())
                .filteredOn(name -> name.startsWith("interlock.") || name.startsWith("management.health."))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(page).contains("`" + name));
    }

    @Test
    void itNamesTheVersionsOfClientsThatTestsRunWith() throws IOException {
        String page = Files.readString(PAGE);
        String versions = page.substring(page.indexOf("## Versions"));
        assertThat(OLDER_CLIENT.matcher(Files.readString(Path.of("pom.xml"))).results())
                .hasSize(4)
                .allSatisfy(client -> assertThat(versions).contains("| " + client.group(1) + " |"));
        assertThat(versions).contains("| 4.1 | 7.4.1 | 7.5.2 | tested:");
    }
}
