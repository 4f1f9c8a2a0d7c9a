// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.TestReporter;
import org.opentest4j.TestAbortedException;

/**
 * The interpreters of other languages, and the libraries that they need, which their own installers fetch into the
 * build directory. If one cannot be installed, the tests that need it are aborted with the reason: they have neither
 * passed nor failed.
 */
final class Interpreters {
    private static final Path HOME = Path.of("target", "peers").toAbsolutePath();

    /** Long enough for a slow network, short enough for a build without one. */
    private static final long INSTALL_SECONDS = 120;

    /** Before the name of a library: the entry of a test's report with the versions that have run. */
    private static final String VERSION = "interlock.peers.version.";

    static final String PYTHON_LIBRARY = "redis==8.1.0";

    /** Before the reason why a program is missing: .ci/run demands the programs. */
    private static final String PROGRAMS = "peers: ";

    /** Before the reason why a library is missing: registries have it, which not every machine reaches. */
    private static final String LIBRARIES = "libraries: ";

    private static final Map<String, Optional<String>> ABSENT = new ConcurrentHashMap<>();

    private Interpreters() {}

    /** Starts a client of Node.js. */
    static ClientProcess node(
            String library, String ports, String key, String name, Path history, TestReporter reporter) {
        require("Node.js", Interpreters::installNode, reporter);
        ClientProcess process = ClientProcess.start(
                List.of("node", HOME.resolve("node/peer.js").toString(), library, ports, key, name, history.toString()),
                Map.of());
        reporter.publishEntry(VERSION + library, process.version());
        return process;
    }

    /** Starts the lock of redis-py. */
    static ClientProcess python(String port, String key, String name, Path history, TestReporter reporter) {
        require("Python", Interpreters::installPython, reporter);
        ClientProcess process = ClientProcess.start(
                List.of("python3", HOME.resolve("python/peer.py").toString(), port, key, name, history.toString()),
                Map.of("PYTHONPATH", HOME.resolve("python/lib").toString()));
        reporter.publishEntry(VERSION + "redis-py", process.version());
        return process;
    }

    /** Why something cannot be installed, if so, after what is missing. */
    interface Installer {
        Optional<String> install() throws IOException, InterruptedException;
    }

    /** Aborts the test if something cannot be installed, and has its report say why. */
    static void require(String what, Installer installer, TestReporter reporter) {
        Optional<String> absent = ABSENT.computeIfAbsent(what, key -> {
            try {
                return installer.install();
            } catch (IOException e) {
                return Optional.of(PROGRAMS + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.of(PROGRAMS + "interrupted");
            }
        });
        absent.ifPresent(reason -> {
            reporter.publishEntry("interlock.peers.absent", reason);
            throw new TestAbortedException("absent: " + reason);
        });
    }

    /** Throws, or returns why, if a program is missing that what is installed needs. */
    static Optional<String> look(String... program) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program));
        command.add("--version");
        return run(Files.createDirectories(HOME), command.toArray(String[]::new))
                .map(PROGRAMS::concat);
    }

    private static Optional<String> installNode() throws IOException, InterruptedException {
        Optional<String> absent = look("node");
        if (absent.isPresent()) {
            return absent;
        }
        Path home = Files.createDirectories(HOME.resolve("node"));
        copy("peer.js", home);
        String wanted = copy("package.json", home);
        Path installed = home.resolve("installed.json");
        if (Files.exists(installed) && Files.readString(installed).equals(wanted)) {
            return Optional.empty();
        }
        absent = look("npm");
        if (absent.isPresent()) {
            return absent;
        }
        Optional<String> failure = run(
                home, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--silent");
        if (failure.isEmpty()) {
            Files.writeString(installed, wanted);
        }
        return failure.map(LIBRARIES::concat);
    }

    private static Optional<String> installPython() throws IOException, InterruptedException {
        Optional<String> absent = look("python3");
        if (absent.isPresent()) {
            return absent;
        }
        Path home = Files.createDirectories(HOME.resolve("python"));
        copy("peer.py", home);
        Path installed = home.resolve("installed.txt");
        if (Files.exists(installed) && Files.readString(installed).equals(PYTHON_LIBRARY)) {
            return Optional.empty();
        }
        if (run(home, "python3", "-c", "import redis").isEmpty()) {
            return Optional.empty();
        }
        absent = look("python3", "-m", "pip");
        if (absent.isPresent()) {
            return absent;
        }
        Optional<String> failure = run(
                home,
                "python3",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--retries",
                "1",
                "--target",
                home.resolve("lib").toString(),
                PYTHON_LIBRARY);
        if (failure.isEmpty()) {
            Files.writeString(installed, PYTHON_LIBRARY);
        }
        return failure.map(LIBRARIES::concat);
    }

    private static String copy(String resource, Path directory) throws IOException {
        try (InputStream in = Interpreters.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new UncheckedIOException(new IOException("no resource " + resource));
            }
            Files.copy(in, directory.resolve(resource), StandardCopyOption.REPLACE_EXISTING);
        }
        return Files.readString(directory.resolve(resource));
    }

    /** Runs a program to its end, and returns what went wrong, if anything. */
    private static Optional<String> run(Path directory, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "run", ".txt");
        try {
            Process process = new ProcessBuilder(new ArrayList<>(List.of(command)))
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.of(command[0] + " has not ended in " + INSTALL_SECONDS + " s");
            }
            return process.exitValue() == 0
                    ? Optional.empty()
                    : Optional.of(command[0] + " has failed: "
                            + Files.readString(output, StandardCharsets.UTF_8).strip());
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
