// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.internal.run.CertificateWriter;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.specimens.ProcessSpecimens;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kits run with the oldest JUnit that their documentation names. */
@Tag("deep")
class LowestJUnitTest {
    private static final Path JARS = Path.of("target", "lowest-junit");

    /** The build does not run these classes as tests; only the enclosing class does. */
    static final class Plain extends PlainLockConformance {
        @Override
        protected PlainLocks locks() {
            return PlainLocks.of(ReentrantLock::new)
                    .wakingWaiters()
                    .holdCount(ReentrantLock.class, ReentrantLock::getHoldCount);
        }
    }

    static final class InMemory extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            return new MemoryHarness(new WrongLock("correct"));
        }
    }

    /** A lock on a server, for several processes; it breaks rule 12.3 alone. */
    static final class OnRedis extends DistributedLockConformance {
        @Override
        protected LockHarness harness() {
            return RedisHarness.of(new ProcessSpecimens.ClientNumberIsOwner()).open();
        }
    }

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

    /** Runs a kit in a JVM of its own; of its rules those that are named, or all. Returns its certificate. */
    private String run(Class<?> kit, String... rules) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-D" + CertificateWriter.PROPERTY + "=" + certificates,
                "-cp",
                String.join(File.pathSeparator, classPath()),
                KitLauncher.class.getName(),
                kit.getName()));
        command.addAll(List.of(rules));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said).contains(" 0 broken, ").contains(", failed 0");
        return assertThat(Files.readString(certificates.resolve(kit.getSimpleName() + ".md")))
                .contains("| JUnit | 5.10.2 |")
                .actual();
    }

    @Test
    void thePlainKitRunsWithTheLowestVersionOfJUnit() throws Exception {
        assertThat(run(Plain.class)).contains("- 5.23 the shortest time gets a free lock");
    }

    @Test
    void aRuleOfEachChapterRunsWithTheLowestVersionOfJUnit() throws Exception {
        List<String> first = Arrays.stream(Chapter.values())
                // The first rule of that chapter needs virtual threads.
                .map(chapter -> chapter.number() + (chapter == Chapter.ASYNCHRONY ? ".2" : ".1"))
                .toList();

        String certificate = run(InMemory.class, first.toArray(String[]::new));

        assertThat(certificate)
                .contains("| Kit | `DistributedLockConformance` |")
                .contains(first.stream()
                        .filter(rule -> !rule.equals("12.1"))
                        .map(rule -> "\n- " + rule + " ")
                        .toList())
                .contains("## Skipped\n\n- the backend cannot be reached from other processes: 12.1\n\n## ");
    }

    @Test
    void rulesAboutSeveralProcessesRunWithTheLowestVersionOfJUnit() throws Exception {
        assertThat(run(OnRedis.class, "12.1", "12.2", "12.4"))
                .contains("\n- 12.1 ", "\n- 12.2 ", "\n- 12.4 ")
                .contains("## Skipped\n\nNone.\n");
    }

    @Test
    void theDocumentationNamesThatVersion() throws Exception {
        assertThat(Files.readString(Path.of("..", "..", "docs", "writing-a-strategy.md")))
                .contains("JUnit 5.10.2 or newer");
    }
}
