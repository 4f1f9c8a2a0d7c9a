// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child JVM that runs a program, reads commands line by line, and replies line by line. The program uses the
 * counterpart, {@link ParentJvm}. Safe for use by several threads.
 *
 * <p>Commands go to its standard input, so that no process list shows passwords. When that input ends, because this JVM
 * closed it or died, the child ends too.
 */
public final class ChildJvm implements AutoCloseable {
    private static final int STDERR_LINES = 30;

    private final Process process;
    private final Writer stdin;
    private final Deque<String> stderr = new ArrayDeque<>();
    private final Thread stderrReader;
    private final Thread killer;

    private ChildJvm(Process process, Consumer<String> lines, Runnable end) {
        this.process = process;
        stdin = process.outputWriter(StandardCharsets.UTF_8);
        killer = new Thread(process::destroyForcibly, "kill-child-" + process.pid());
        try {
            Runtime.getRuntime().addShutdownHook(killer);
        } catch (IllegalStateException e) {
            process.destroyForcibly();
            throw new ChildJvmException("this JVM is ending", e);
        }
        reader("stdout", process.getInputStream(), lines, end);
        stderrReader = reader("stderr", process.getErrorStream(), this::keepError, () -> {});
    }

    /**
     * Starts a process on the class path of this one.
     *
     * @param jvmOptions options for the JVM
     * @param main the program
     * @param arguments what it is given, for all to see
     * @param lines gets each line that the process writes to its standard output
     * @param end is run when there will be no more of them
     * @return the process
     * @throws ChildJvmException if it cannot be started, or this JVM is ending
     */
    public static ChildJvm start(
            List<String> jvmOptions, Class<?> main, List<String> arguments, Consumer<String> lines, Runnable end) {
        return start(System.getProperty("java.class.path"), jvmOptions, main, arguments, lines, end);
    }

    /**
     * Starts a process.
     *
     * @param classPath its class path
     * @param jvmOptions options for the JVM
     * @param main the program
     * @param arguments what it is given, for all to see
     * @param lines gets each line that the process writes to its standard output
     * @param end is run when there will be no more of them
     * @return the process
     * @throws ChildJvmException if it cannot be started, or this JVM is ending
     */
    public static ChildJvm start(
            String classPath,
            List<String> jvmOptions,
            Class<?> main,
            List<String> arguments,
            Consumer<String> lines,
            Runnable end) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(jvmOptions);
        line.addAll(List.of("-cp", classPath, main.getName()));
        line.addAll(arguments);
        try {
            return new ChildJvm(new ProcessBuilder(line).start(), lines, end);
        } catch (IOException e) {
            throw new ChildJvmException("cannot start a process: " + e.getMessage(), e);
        }
    }

    private Thread reader(String what, InputStream in, Consumer<String> lines, Runnable end) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader reader =
                            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                            lines.accept(line);
                        }
                    } catch (IOException e) {
                        // The stream of a process that was destroyed: nothing more to read.
                    } finally {
                        end.run();
                    }
                },
                "child-" + process.pid() + "-" + what);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void keepError(String line) {
        synchronized (stderr) {
            if (stderr.size() == STDERR_LINES) {
                stderr.removeFirst();
            }
            stderr.addLast(line);
        }
    }

    /** Writes a line to its standard input. A stopped process reads it when it is resumed. */
    public void say(String line) {
        try {
            stdin.write(line + "\n");
            stdin.flush();
        } catch (IOException e) {
            throw failed("did not listen");
        }
    }

    /** Ends its standard input, as the end of this JVM would. */
    public void hangUp() throws IOException {
        stdin.close();
    }

    /** Waits for the end of the process, and returns whether it came in time. */
    public boolean awaitEnd(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns whether the process has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns how much time of processors the process has had, or empty if the system does not tell. */
    public Optional<Duration> cpuTime() {
        return process.info().totalCpuDuration();
    }

    /** Stops the process without ending it. */
    public void stop() {
        Signals.stop(process.pid());
    }

    /** Resumes the stopped process. */
    public void goOn() {
        Signals.goOn(process.pid());
    }

    /** Ends the process, and returns an exception with its standard error. */
    public ChildJvmException failed(String what) {
        close();
        try {
            stderrReader.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (stderr) {
            return new ChildJvmException("a child process " + what
                    + (stderr.isEmpty() ? "" : "; it reported: " + String.join("\n  ", stderr)));
        }
    }

    /** Kills the process, stopped or not, and waits for its end. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook runs or has run.
        }
    }
}
