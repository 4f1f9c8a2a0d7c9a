// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.Lease;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.internal.peer.Peer;
import dev.interlock.conformance.memory.MemoryHarness;
import dev.interlock.conformance.memory.WrongLock;
import dev.interlock.specimens.ForwardingFactory;
import dev.interlock.specimens.ForwardingLock;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.io.File;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("sets properties of the JVM")
class PeerTest {
    private static final String PROPERTY = "interlock.conformance.told";

    /** The name of the kit's module, as its published jar has it. */
    private static final String MODULE = "dev.interlock.conformance";

    /** Ends its process with a last line on the standard error. */
    public static final class Quitter implements LockStrategyProvider {
        @Override
        public String name() {
            return "quitter";
        }

        @Override
        public StrategyProfile profile() {
            return new StrategyProfile("quits", Set.of(), Set.of());
        }

        @Override
        public List<StrategyOption> options() {
            return List.of();
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            throw new UnsupportedOperationException("I was told \"" + System.getProperty(PROPERTY) + "\" and quit");
        }
    }

    @Test
    void aFailureShowsWhatTheOtherProcessSaidAndThatItHasOurProperties() {
        System.setProperty(PROPERTY, "a = b");
        try {
            assertThatThrownBy(
                            () -> Peer.start(new Quitter(), LockConfig.builder().build()))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("the other process ended")
                    .hasMessageContaining("UnsupportedOperationException: I was told \"a = b\" and quit");
        } finally {
            System.clearProperty(PROPERTY);
        }
    }

    /** Grants no lock but that of {@code plain}, each in its own way. */
    public static final class Late implements LockStrategyProvider {
        private final LockStrategyProvider correct = new MemoryHarness(new WrongLock("correct")).provider();

        @Override
        public String name() {
            return correct.name();
        }

        @Override
        public StrategyProfile profile() {
            return correct.profile();
        }

        @Override
        public List<StrategyOption> options() {
            return correct.options();
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            return new ForwardingFactory(correct.newFactory(config)) {
                @Override
                protected DistributedLock spoil(DistributedLock lock) {
                    return new LateLock(lock);
                }
            };
        }
    }

    private static final class LateLock extends ForwardingLock {
        LateLock(DistributedLock correct) {
            super(correct);
        }

        @Override
        public void lock() {
            for (Reason reason : Reason.values()) {
                if (name().equals(reason.name())) {
                    throw new LockBackendException(reason, "not now");
                }
            }
            super.lock();
        }

        @Override
        public Optional<Lease> lease() {
            return name().equals("unread") ? Optional.empty() : super.lease();
        }
    }

    @Test
    void aLockWhoseLeaseIsOverTooEarlyMayBeAskedForAgain() {
        LockConfig config = new MemoryHarness(new WrongLock("correct")).config();
        LockOptions options = LockOptions.builder().build();
        try (Peer peer = Peer.start(new Late(), config)) {
            for (String name : List.of(Reason.UNREACHABLE.name(), Reason.OUTCOME_UNKNOWN.name(), "unread")) {
                assertThatThrownBy(() -> peer.lock(name, options))
                        .as(name)
                        .isInstanceOfSatisfying(
                                LockBackendException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.OUTCOME_UNKNOWN));
            }
            assertThatThrownBy(() -> peer.lock(Reason.REFUSED.name(), options))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("not now");
            assertThat(peer.lock("plain", options)).isPresent();
        }
    }

    @TempDir
    Path directory;

    @Test
    void aKitOnTheModulePathStartsOtherProcesses() throws Exception {
        String[] classPath = System.getProperty("java.class.path").split(File.pathSeparator);
        Path kit = classesOf(DistributedLockConformance.class);
        Path tests = classesOf(PeerTest.class);
        Path module = jar(kit, directory.resolve("kit.jar"));
        // JUnit and the API are modules; libraries that only the harness needs stay on the class path.
        String modules = Stream.concat(
                        Stream.of(module.toString()),
                        Arrays.stream(classPath)
                                .filter(
                                        it -> it.matches(
                                                ".*(/api/target/.*|interlock-api-[^/]*|junit-jupiter-api-.*|junit-platform-commons-.*|opentest4j-.*|apiguardian-.*|jspecify-.*)")))
                .collect(Collectors.joining(File.pathSeparator));
        String rest = Arrays.stream(classPath)
                .filter(it ->
                        !modules.contains(it) && !Path.of(it).toAbsolutePath().equals(kit))
                .filter(it -> !Path.of(it).toAbsolutePath().equals(tests))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dinterlock.conformance.archive=false",
                        "-p",
                        modules,
                        "-cp",
                        rest,
                        "--add-modules",
                        "ALL-MODULE-PATH",
                        "--patch-module",
                        MODULE + "=" + tests,
                        "-m",
                        MODULE + "/" + PeerStart.class.getName(),
                        "1")
                .redirectErrorStream(true)
                .start();
        try (OutputStream none = process.getOutputStream()) {
            none.flush();
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said).contains("module module " + MODULE).contains("tryLock true");
        assertThat(process.waitFor()).isZero();
    }

    private static Path classesOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static Path jar(Path classes, Path jar) throws Exception {
        if (!Files.isDirectory(classes)) {
            return classes;
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Automatic-Module-Name", MODULE);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }
}
