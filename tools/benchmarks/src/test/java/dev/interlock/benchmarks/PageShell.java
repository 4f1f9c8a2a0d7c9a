// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.embedded.RedisExecProvider;

/**
 * Runs commands of pages by bash, in a folder that stands in for a checkout: it has the launcher of the checkout, and
 * what this build has compiled, so that the launcher builds nothing.
 */
final class PageShell {
    /** Ends what hangs; no command takes nearly as long. */
    private static final long LIMIT_SECONDS = 600;

    private static final List<String> MODULES = List.of("tools/cli", "tools/benchmarks", "tools/simulation");

    private final Path checkout;
    private final Path programs;
    private final Path directory;

    /**
     * What a command did.
     *
     * @param exit its exit code
     * @param text what it wrote to its standard output and to its standard error
     */
    record Outcome(int exit, String text) {}

    /** Lays the checkout out in an empty folder. */
    PageShell(Path folder) throws IOException {
        checkout = Files.createDirectory(folder.resolve("interlock"));
        programs = Files.createDirectory(folder.resolve("bin"));
        directory = folder;
        Files.copy(Path.of("../../interlock"), checkout.resolve("interlock"));
        makeExecutable(checkout.resolve("interlock"));
        for (String module : MODULES) {
            Path target = Files.createDirectories(checkout.resolve(module).resolve("target"));
            layLibraries(target.resolve("lib"));
            Files.createFile(target.resolve("built"));
        }
        // An error in Java code is made in the source of its class, and compiled.
        Files.createSymbolicLink(
                checkout.resolve("engine"),
                Path.of("../../engine").toAbsolutePath().normalize());
        // Whoever reads the page has a server; it listens where it can do no harm.
        Path server = Files.writeString(
                programs.resolve("redis-server"),
                "#!/bin/sh\nexec '" + RedisExecProvider.defaultProvider().get().getAbsolutePath()
                        + "' --bind 127.0.0.1 --dir '" + folder + "' \"$@\"\n");
        makeExecutable(server);
    }

    private static void makeExecutable(Path file) {
        if (!file.toFile().setExecutable(true)) {
            throw new AssertionError("cannot make " + file + " executable");
        }
    }

    /** A jar that stands for the class path of this test, without tests. */
    private static void layLibraries(Path folder) throws IOException {
        Files.createDirectories(folder);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .map(entry -> Path.of(entry).toAbsolutePath())
                                .filter(path -> Files.exists(path) && !path.endsWith("test-classes"))
                                .map(path -> path.toUri().toString())
                                .collect(Collectors.joining(" ")));
        new JarOutputStream(Files.newOutputStream(folder.resolve("all.jar")), manifest).close();
    }

    /** Puts what a build with Maven would fetch into the folder {@code lib} of a project. */
    static void fetchLibraries(Path project) throws IOException {
        layLibraries(project.resolve("lib"));
    }

    /** Starts commands, whose standard error goes with their standard output. */
    Process start(String commands, Path place) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", commands)
                .directory(place.toFile())
                .redirectErrorStream(true);
        String java = System.getProperty("java.home");
        builder.environment().put("JAVA_HOME", java);
        builder.environment()
                .merge(
                        "PATH",
                        programs + File.pathSeparator + Path.of(java, "bin"),
                        (old, first) -> first + File.pathSeparator + old);
        return builder.start();
    }

    /** Runs commands in the checkout, gives them a text to read, and waits for their end. */
    Outcome run(String commands, String input) throws IOException, InterruptedException {
        Path text = Files.createTempFile(directory, "output", ".txt");
        Process process = start("{ " + commands + "\n} >'" + text + "' 2>&1", checkout);
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It reads nothing, and has ended.
        }
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            end(process);
            throw new AssertionError("did not end: " + commands + "\n" + Files.readString(text));
        }
        return new Outcome(process.exitValue(), Files.readString(text));
    }

    /** Ends a process and those that it has started. */
    static void end(Process process) throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }
}
