// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassDataArchiveTest {
    @TempDir
    Path target;

    /** The main class of the child JVMs of this test. */
    static final class Child {
        private Child() {}

        public static void main(String[] args) throws IOException {
            int read = System.in.readAllBytes().length;
            System.out.println("read " + read);
            if (args.length > 0) {
                System.exit(Files.exists(Path.of(args[0])) ? 0 : 1);
            }
        }
    }

    private static final String MAIN = Child.class.getName();

    private ClassDataArchive archive() {
        return ClassDataArchive.in(target, PeerJvm.classPath()).orElseThrow();
    }

    private static String output(PeerJvm child) throws IOException {
        child.process().getOutputStream().close();
        return new String(child.process().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aChildTakesItsClassesFromTheArchive() throws Exception {
        ClassDataArchive archive = archive();
        assertThat(archive.file()).isEmpty();
        archive.make(MAIN, List.of(), "two\n");
        Path log = target.resolve("loaded.txt");
        PeerJvm child = PeerJvm.start(
                List.of("-XX:SharedArchiveFile=" + archive.file().orElseThrow(), "-Xlog:class+load:file=" + log),
                archive.classPath(),
                MAIN);
        assertThat(output(child)).startsWith("read 0");
        assertThat(Files.readAllLines(log))
                .anyMatch(line -> line.contains(MAIN + " source: shared objects file (top)"));
    }

    @Test
    void anArchiveIsFoundAgainForTheSameClassPathOnly() throws Exception {
        archive().make(MAIN, List.of(), "");
        assertThat(archive().file()).isPresent();
        List<Path> other = Stream.concat(
                        PeerJvm.classPath().stream(), Stream.of(Files.createFile(target.resolve("one-more.jar"))))
                .toList();
        assertThat(ClassDataArchive.in(target, other).orElseThrow().file()).isEmpty();
    }

    @Test
    void whoeverAsksForOneThatIsBeingMadeWaitsForIt() throws Exception {
        ClassDataArchive archive = archive();
        Callable<Boolean> asks = () -> {
            archive.makeOnce(MAIN, List.of(), "");
            return archive.file().isPresent();
        };
        ExecutorService makers = Executors.newFixedThreadPool(3);
        try {
            for (Future<Boolean> made : makers.invokeAll(List.of(asks, asks, asks))) {
                assertThat(made.get()).isTrue();
            }
        } finally {
            makers.shutdownNow();
        }
    }

    @Test
    void anAttemptThatFailedIsNotMadeAgainButOneWithOtherArgumentsIs() throws Exception {
        ClassDataArchive archive = archive();
        Path flag = target.resolve("flag");
        List<String> failsOnce = List.of(flag.toString());
        archive.makeOnce(MAIN, failsOnce, "");
        Files.createFile(flag);
        archive.makeOnce(MAIN, failsOnce, "");
        assertThat(archive.file()).isEmpty();
        archive.makeOnce(MAIN, List.of(), "");
        assertThat(archive.file()).isPresent();
    }

    @Test
    void anAttemptThatIsInterruptedLeavesNothingUnfinished() throws Exception {
        Thread.currentThread().interrupt();
        archive().makeOnce(MAIN, List.of(), "");
        assertThat(Thread.interrupted()).isTrue();
        try (Stream<Path> files = Files.walk(target)) {
            assertThat(files).noneMatch(it -> it.toString().endsWith(".tmp"));
        }
    }

    @Test
    void thoseWhoMakeOneAtTheSameTimeDoNotHinderEachOther() throws Exception {
        ExecutorService makers = Executors.newFixedThreadPool(2);
        try {
            Future<?> first = makers.submit(() -> makeOne());
            Future<?> second = makers.submit(() -> makeOne());
            first.get();
            second.get();
        } finally {
            makers.shutdownNow();
        }
        Path file = archive().file().orElseThrow();
        PeerJvm child = PeerJvm.start(
                List.of("-Xshare:on", "-XX:SharedArchiveFile=" + file),
                archive().classPath(),
                MAIN);
        assertThat(output(child)).as(child.errors()).startsWith("read 0");
        try (Stream<Path> files = Files.list(file.getParent())) {
            assertThat(files).noneMatch(it -> it.toString().endsWith(".tmp"));
        }
    }

    private Void makeOne() throws IOException, InterruptedException {
        archive().make(MAIN, List.of(), "");
        return null;
    }

    @Test
    void aChildThatFailsLeavesNoArchive() throws Exception {
        ClassDataArchive archive = archive();
        archive.make(MAIN, List.of(target.resolve("missing").toString()), "");
        assertThat(archive.file()).isEmpty();
    }
}
