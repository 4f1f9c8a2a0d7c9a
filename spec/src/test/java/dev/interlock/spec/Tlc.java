// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tlc2.TLC;

/**
 * Runs the model checker on one model, in a JVM of its own, because TLC keeps its state in static fields and ends its
 * JVM.
 */
final class Tlc {
    /** Far more than any model takes: only a run that hangs gets there. */
    private static final long MINUTES = 30;

    /** Models of so many states take long enough for the optimizing compiler to pay. */
    private static final int LARGE = 19_000;

    /** Since this version a JVM writes the archive of classes that is to be shared, if there is none. */
    private static final int WRITES_ARCHIVES = 19;

    private static final Path ARCHIVE = Path.of("target", "tlc.jsa").toAbsolutePath();

    private Tlc() {}

    /**
     * Checks a module under a configuration, of which it leaves a copy beside its output in the given directory.
     *
     * @param states how many states it has at least, 0 if nobody knows
     */
    static TlcOutcome check(Path module, TlcModel model, Path directory, boolean coverage, int states)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path specification = directory.resolve(module.getFileName());
        Files.writeString(specification, Files.readString(module));
        Path configuration = directory.resolve(module.getFileName().toString().replace(".tla", ".cfg"));
        Files.writeString(configuration, model.text());
        Path output = directory.resolve("output.txt");

        Process process = new ProcessBuilder(command(specification, configuration, coverage, states))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                throw new IOException("TLC did not end within " + MINUTES + " minutes; see " + output.toAbsolutePath());
            }
        } finally {
            process.destroyForcibly();
        }
        return new TlcOutcome(Files.readString(output, StandardCharsets.UTF_8), output.toAbsolutePath());
    }

    private static List<String> command(Path specification, Path configuration, boolean coverage, int states) {
        String tools = Path.of(TLC.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                // TLC unpacks its standard modules there, and deletes them at its end.
                "-Djava.io.tmpdir=.",
                "-cp",
                tools,
                TLC.class.getName(),
                "-workers",
                "1",
                // The same fingerprints in each run: a count of states means the same everywhere.
                "-fp",
                "0",
                "-config",
                configuration.getFileName().toString()));
        if (states < LARGE) {
            command.add(1, "-XX:TieredStopAtLevel=1");
        }
        if (Runtime.version().feature() >= WRITES_ARCHIVES) {
            // To load the classes is most of a short run.
            command.addAll(
                    1, List.of("-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:disable"));
        }
        if (coverage) {
            command.addAll(List.of("-coverage", "60"));
        }
        command.add(specification.getFileName().toString());
        return command;
    }
}
