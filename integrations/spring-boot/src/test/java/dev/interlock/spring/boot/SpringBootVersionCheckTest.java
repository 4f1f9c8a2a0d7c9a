// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** An application with a Spring Boot that is too old fails with a message that says so. */
class SpringBootVersionCheckTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @ParameterizedTest
    @ValueSource(strings = {"3.5.3", "4.0.0", "4.0.12-SNAPSHOT"})
    void anOlderVersionEndsTheStartAndIsTold(String version) {
        assertThatThrownBy(() -> SpringBootVersionCheck.requireSupported(version))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs Spring Boot 4.1 or later, and this application has " + version)
                .hasMessageContaining("DistributedLocks.getInstance");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"4.1.0", "4.10.0", "4.2.0-M1", "5.0.0", "unknown"})
    void aNewerVersionOrOneThatCannotBeReadWillDo(String version) {
        assertThatCode(() -> SpringBootVersionCheck.requireSupported(version)).doesNotThrowAnyException();
    }

    @Test
    void itIsAskedBeforeTheApplicationStarts() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(ApplicationContextInitializer.class))
                .hasAtLeastOneElementOfType(SpringBootVersionCheck.class);
    }

    /**
     * A process that has the Spring Boot of {@code target/older-boot}, which the profile deep copies, and nothing of
     * this one.
     */
    @Test
    @Tag("deep")
    void anApplicationWithSpringBoot35EndsWithTheWord() throws IOException, InterruptedException {
        List<String> classPath = new ArrayList<>();
        try (Stream<Path> older = Files.list(Path.of("target/older-boot"))) {
            older.forEach(jar -> classPath.add(jar.toString()));
        }
        assertThat(classPath).anyMatch(jar -> jar.contains("spring-boot-3.5."));
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("spring-"))
                .forEach(classPath::add);
        assertThat(start(classPath, List.of()))
                .contains("needs Spring Boot 4.1 or later, and this application has 3.5.", "update Spring Boot");
        assertThat(start(classPath, List.of("--interlock.enabled=false"))).endsWith(OlderBootMain.STARTED);
    }

    private static String start(List<String> classPath, List<String> arguments) throws InterruptedException {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        try (ChildJvm child = ChildJvm.start(
                String.join(File.pathSeparator, classPath),
                List.of(),
                OlderBootMain.class,
                arguments,
                line -> {
                    if (line.startsWith(OlderBootMain.ENDED)) {
                        said.add(line);
                    }
                },
                () -> said.add("nothing"))) {
            String answer = said.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            child.awaitEnd(PATIENCE);
            return String.valueOf(answer);
        }
    }
}
