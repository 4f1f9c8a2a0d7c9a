// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.child;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A child JVM that runs a class of this JVM's class path, and the end of its standard error. */
public final class PeerJvm {
    /** Short-lived JVMs gain nothing from the second compiler. Messages of the JVM must not mix with answers. */
    private static final List<String> FLAGS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xlog:disable", "-Xlog:all=warning:stderr");

    private final Process process;
    private final ErrorTail errors;

    private PeerJvm(Process process) {
        this.process = process;
        this.errors = new ErrorTail(process.getErrorStream());
    }

    /**
     * Starts a JVM, from the class-data archive of the class path if there is one.
     *
     * @param main the name of the class to run
     * @param args its arguments, which all users of the machine can see
     * @return the child
     * @throws IOException if it cannot be started
     */
    public static PeerJvm start(String main, String... args) throws IOException {
        Optional<ClassDataArchive> archive = ClassDataArchive.ofThisClassPath();
        Optional<Path> file = archive.flatMap(ClassDataArchive::file);
        if (archive.isPresent() && file.isPresent()) {
            return start(
                    List.of("-XX:SharedArchiveFile=" + file.get()),
                    archive.get().classPath(),
                    main,
                    args);
        }
        return start(List.of(), classPath(), main, args);
    }

    static PeerJvm start(List<String> more, List<Path> classPath, String main, String... args) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(more);
        command.add("-cp");
        command.add(String.join(
                File.pathSeparator, classPath.stream().map(Path::toString).toList()));
        command.add(main);
        command.addAll(List.of(args));
        return new PeerJvm(new ProcessBuilder(command).start());
    }

    /**
     * Returns the class path and module path of this JVM as one class path, on which a class is found by name even if
     * no module descriptor opens its package.
     */
    static List<Path> classPath() {
        Set<Path> entries = new LinkedHashSet<>();
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (argument.startsWith("--patch-module=")) {
                add(entries, argument.substring(argument.indexOf('=', "--patch-module=".length()) + 1));
            }
        }
        add(entries, System.getProperty("java.class.path", ""));
        for (String entry : System.getProperty("jdk.module.path", "").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            File[] jars = path.resolve("module-info.class").toFile().exists()
                    ? null
                    : path.toFile().listFiles();
            add(entries, entry);
            // A directory on the module path may contain modules instead of being one.
            for (File jar : jars == null ? new File[0] : jars) {
                if (jar.getName().endsWith(".jar")) {
                    entries.add(jar.toPath().toAbsolutePath());
                }
            }
        }
        return List.copyOf(entries);
    }

    private static void add(Set<Path> entries, String path) {
        for (String entry : path.split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                entries.add(Path.of(entry).toAbsolutePath());
            }
        }
    }

    /**
     * Returns the process.
     *
     * @return the process, whose standard error is being read
     */
    public Process process() {
        return process;
    }

    /**
     * Returns the last lines of the standard error, for the message of a failure.
     *
     * @return a text that begins with a line break, or an empty one
     */
    public String errors() {
        return errors.text();
    }
}
