// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import dev.interlock.conformance.child.PeerJvm;
import dev.interlock.conformance.internal.actor.Scale;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process that runs {@link PeerMain}, for one client after the other: most of what a client in a process of its own
 * costs is the start of its JVM. Without clients it waits for its standard input, and so ends with this JVM.
 */
final class PeerProcess {
    /** The processes without a client, by what they were started with. */
    private static final Map<String, Queue<PeerProcess>> IDLE = new ConcurrentHashMap<>();

    /** As many as a rule has at once; more would only use memory. */
    private static final int MOST_IDLE = 2;

    /** A client that takes longer to close costs its process. */
    private static final Duration TIME_TO_CLOSE = Scale.PATIENCE.dividedBy(4);

    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "conformance-peer-watchdog");
        thread.setDaemon(true);
        return thread;
    });

    private final Queue<PeerProcess> idle;
    private final PeerJvm jvm;
    private final Process process;
    private final BufferedWriter requests;
    private final BufferedReader answers;

    private PeerProcess(Queue<PeerProcess> idle, PeerJvm jvm) {
        this.idle = idle;
        this.jvm = jvm;
        this.process = jvm.process();
        this.requests = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns a process that expects a configuration. Other clients may have used it, one after the other. */
    static PeerProcess take(String provider, String properties) {
        Queue<PeerProcess> idle = idle(provider, properties);
        for (PeerProcess found = idle.poll(); found != null; found = idle.poll()) {
            if (found.process.isAlive()) {
                return found;
            }
        }
        return start(provider, properties);
    }

    /** Returns a process that expects a configuration, and has had none before. */
    static PeerProcess start(String provider, String properties) {
        try {
            PeerProcess started =
                    new PeerProcess(idle(provider, properties), PeerJvm.start(PeerMain.class.getName(), provider));
            started.send(properties);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a JVM", e);
        }
    }

    private static Queue<PeerProcess> idle(String provider, String properties) {
        return IDLE.computeIfAbsent(provider + " " + properties, key -> new ConcurrentLinkedQueue<>());
    }

    private void send(String line) throws IOException {
        requests.write(line);
        requests.write('\n');
        requests.flush();
    }

    /**
     * Sends a request and returns the answer; if the process is stopped, this waits until it goes on. A process that
     * does not answer in time is killed, which ends the wait.
     *
     * @param what what failure messages show in place of the request, which may hold passwords
     */
    String ask(String what, String request, Duration limit) {
        ScheduledFuture<?> end = WATCHDOG.schedule(process::destroyForcibly, limit.toNanos(), TimeUnit.NANOSECONDS);
        try {
            send(request);
            String answer = answers.readLine();
            if (answer == null || !end.cancel(false)) {
                throw new AssertionError(
                        "the other process ended, or did not answer for too long, when it was asked to " + what
                                + jvm.errors());
            }
            if (answer.startsWith(PeerMain.FAILED)) {
                throw new AssertionError("the other process could not " + what + ": " + answer);
            }
            return answer;
        } catch (IOException e) {
            throw new AssertionError("the other process does not answer" + jvm.errors(), e);
        } finally {
            end.cancel(false);
        }
    }

    /** Closes the client, and offers the process to the next one. Returns false if that is not safe. */
    boolean giveBack() {
        if (!process.isAlive() || idle.size() >= MOST_IDLE) {
            return false;
        }
        try {
            String answer = ask("close", PeerMain.CLOSE, TIME_TO_CLOSE);
            // What has come beside the answer would be taken for the next one.
            return answer.equals(PeerMain.CLOSED) && !answers.ready() && idle.add(this);
        } catch (AssertionError | IOException e) {
            return false;
        }
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    long pid() {
        return process.pid();
    }
}
