// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.compare.CompareException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM that is started to see how long something takes in it, and ends with this one at the latest. */
final class FreshJvm {
    /** What its program says when it is done. */
    static final String DONE = "done";

    private FreshJvm() {}

    /** Starts a program, and returns how long it takes until it says that it is done; it is ended then. */
    static double millisUntilDone(String classPath, Class<?> main, List<String> arguments, Duration patience) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classPath, main.getName()));
        command.addAll(arguments);
        long from = System.nanoTime();
        Process process = start(command);
        Thread killer = new Thread(process::destroyForcibly, "kill-fresh-jvm");
        Runtime.getRuntime().addShutdownHook(killer);
        try {
            CompletableFuture<Long> done = new CompletableFuture<>();
            Thread reader = new Thread(() -> read(process, done), "read-fresh-jvm");
            reader.setDaemon(true);
            reader.start();
            return (done.get(patience.toNanos(), TimeUnit.NANOSECONDS) - from) / 1e6;
        } catch (ExecutionException e) {
            throw new CompareException("a fresh JVM failed: " + e.getMessage(), e);
        } catch (TimeoutException e) {
            throw new CompareException("a fresh JVM had no lock after " + patience.toSeconds() + " seconds", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompareException("interrupted", e);
        } finally {
            process.destroyForcibly().onExit().join();
            forget(killer);
        }
    }

    private static Process start(List<String> command) {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a JVM", e);
        }
    }

    /** Libraries may say something of their own first. */
    private static void read(Process process, CompletableFuture<Long> done) {
        List<String> said = new ArrayList<>();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.equals(DONE)) {
                    done.complete(System.nanoTime());
                }
                said.add(line);
            }
        } catch (IOException e) {
            said.add(e.toString());
        }
        done.completeExceptionally(new IOException(String.join("\n", said)));
    }

    private static void forget(Thread killer) {
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // This JVM is ending, and the hook runs or has run.
        }
    }
}
