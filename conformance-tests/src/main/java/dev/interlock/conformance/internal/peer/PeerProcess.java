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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that runs {@link PeerMain}, for one client after the other: most of what a client in a process of its own
 * costs is the start of its JVM. Without clients it waits for its standard input, and so ends with this JVM.
 */
final class PeerProcess {
    /** The processes without a client, by what they were started with. */
    private static final Map<String, Queue<PeerProcess>> IDLE = new ConcurrentHashMap<>();

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
    private final AtomicInteger unanswered = new AtomicInteger();

    private PeerProcess(Queue<PeerProcess> idle, PeerJvm jvm) {
        this.idle = idle;
        this.jvm = jvm;
        this.process = jvm.process();
        this.requests = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns a process without a client, which expects a configuration. */
    static PeerProcess take(String provider, String properties) {
        Queue<PeerProcess> idle =
                IDLE.computeIfAbsent(provider + " " + properties, key -> new ConcurrentLinkedQueue<>());
        for (PeerProcess found = idle.poll(); found != null; found = idle.poll()) {
            if (found.process.isAlive()) {
                return found;
            }
        }
        try {
            PeerProcess started = new PeerProcess(idle, PeerJvm.start(PeerMain.class.getName(), provider));
            started.send(properties);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a JVM", e);
        }
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
        unanswered.incrementAndGet();
        ScheduledFuture<?> end = WATCHDOG.schedule(process::destroyForcibly, limit.toNanos(), TimeUnit.NANOSECONDS);
        try {
            send(request);
            String answer = answers.readLine();
            if (answer == null) {
                throw new AssertionError(
                        "the other process ended, or did not answer for too long, when it was asked to " + what
                                + jvm.errors());
            }
            unanswered.decrementAndGet();
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

    /** Closes the client, and offers the process to the next one. Returns false if that failed. */
    boolean giveBack() {
        if (!process.isAlive() || owesAnAnswer()) {
            return false;
        }
        try {
            ask("close", PeerMain.CLOSE, TIME_TO_CLOSE);
        } catch (AssertionError e) {
            return false;
        }
        return idle.add(this);
    }

    boolean owesAnAnswer() {
        return unanswered.get() > 0;
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    long pid() {
        return process.pid();
    }
}
