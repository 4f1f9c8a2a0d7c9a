// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.internal.run.CertificateWriter;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kit runs with the oldest JUnit that its documentation names. */
@Tag("deep")
class LowestJUnitTest {
    private static final Path JARS = Path.of("target", "lowest-junit");

    @TempDir
    Path certificates;

    private static List<String> classPath() throws Exception {
        List<String> entries = new ArrayList<>();
        try (Stream<Path> jars = Files.list(JARS)) {
            jars.forEach(jar -> entries.add(jar.toString()));
        }
        assertThat(entries).as("the jars that the build copies").hasSize(5);
        // All jars but those of JUnit, which must be the old version.
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(it -> !it.contains("junit-"))
                .forEach(entries::add);
        return entries;
    }

    @Test
    void thePlainKitRunsWithTheLowestVersionOfJUnit() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-D" + CertificateWriter.PROPERTY + "=" + certificates,
                        "-cp",
                        String.join(File.pathSeparator, classPath()),
                        KitLauncher.class.getName(),
                        ReentrantLockConformanceTest.class.getName())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said).contains(" 0 broken, ").contains(", failed 0");
        assertThat(Files.readString(certificates.resolve("ReentrantLockConformanceTest.md")))
                .contains("| JUnit | 5.10.2 |")
                .contains("- 5.23 the shortest time gets a free lock");
    }

    @Test
    void theDocumentationNamesThatVersion() throws Exception {
        assertThat(Files.readString(Path.of("..", "docs", "writing-a-strategy.md")))
                .contains("JUnit 5.10.2 or newer");
    }
}
