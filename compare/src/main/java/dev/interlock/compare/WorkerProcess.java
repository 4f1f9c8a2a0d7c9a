// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of its own that runs {@link WorkerCommand}.
 *
 * <p>Its task goes to its standard input, where no list of processes shows the passwords in it. When that input ends, because
 * this JVM closed it or died, the worker ends too.
 */
final class WorkerProcess implements AutoCloseable {
    /** What a worker says when it waits for the start. */
    static final String READY = "ready";

    /** What it is told then. */
    static final String GO = "go";

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration END_LIMIT = Duration.ofSeconds(45);
    private static final String END_OF_OUTPUT = "";
    private static final int STDERR_LINES = 30;

    private final Process process;
    private final Writer stdin;
    private final BlockingQueue<String> stdout = new LinkedBlockingQueue<>();
    private final Deque<String> stderr = new ArrayDeque<>();
    private final Thread stderrReader;
    private final Thread killer;

    /**
     * What a worker does.
     *
     * @param strategy the strategy
     * @param endpoints its servers
     * @param lock the name of the lock
     * @param key the key of the number to add to
     * @param threads the number of threads
     * @param millis for how long
     */
    record Task(String strategy, String endpoints, String lock, String key, int threads, long millis) {}

    private WorkerProcess(Process process) {
        this.process = process;
        stdin = process.outputWriter(StandardCharsets.UTF_8);
        killer = new Thread(process::destroyForcibly, "kill-worker-" + process.pid());
        Runtime.getRuntime().addShutdownHook(killer);
        reader("stdout", process.getInputStream(), stdout::add, () -> stdout.add(END_OF_OUTPUT));
        stderrReader = reader("stderr", process.getErrorStream(), this::keepError, () -> {});
    }

    static WorkerProcess start(Task task) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                WorkerCommand.NAME);
        WorkerProcess worker;
        try {
            worker = new WorkerProcess(new ProcessBuilder(command).start());
        } catch (IOException e) {
            throw new CompareException("cannot start a worker process: " + e.getMessage(), e);
        }
        worker.say(new Gson().toJson(task));
        return worker;
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
                "worker-" + process.pid() + "-" + what);
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

    /** Waits until the worker is ready to start. */
    void awaitReady() {
        String line = nextLine(START_LIMIT);
        if (!line.equals(READY)) {
            throw failed("said \"" + line + "\"");
        }
    }

    /** Starts the work. */
    void go() {
        say(GO);
    }

    /** Waits for the end of work that takes a time, and returns how often the worker has added one. */
    long result(Duration time) {
        String line = nextLine(time.plus(END_LIMIT));
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException e) {
            throw failed("said \"" + line + "\"");
        }
    }

    /** Ends the worker's standard input, as the end of this JVM would. */
    void hangUp() throws IOException {
        stdin.close();
    }

    /** Waits for the end of the process, and returns whether it came in time. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void say(String line) {
        try {
            stdin.write(line + "\n");
            stdin.flush();
        } catch (IOException e) {
            throw failed("did not listen");
        }
    }

    private String nextLine(Duration limit) {
        @Nullable String line;
        try {
            line = stdout.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompareException("interrupted", e);
        }
        if (line == null) {
            throw failed("said nothing for " + limit.toSeconds() + " seconds");
        }
        if (line.equals(END_OF_OUTPUT)) {
            throw failed("ended too early");
        }
        return line;
    }

    /** Ends the process and tells what it has written to standard error. */
    private CompareException failed(String what) {
        close();
        try {
            stderrReader.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (stderr) {
            return new CompareException("a worker process " + what
                    + (stderr.isEmpty() ? "" : "; it reported: " + String.join("\n  ", stderr)));
        }
    }

    /** Ends the process if it has not ended, and waits for its end. */
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
