// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.child.ClassDataArchive;
import dev.interlock.conformance.child.PeerJvm;
import dev.interlock.conformance.child.PosixSignals;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.spi.LockStrategyProvider;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A client in a JVM of its own. Its main thread makes the calls that are requested here; see {@link PeerMain}. */
public final class Peer implements AutoCloseable {
    /** More than any answer takes, even that to a start of the JVM or to a load. */
    public static final Duration LIMIT = Scale.PATIENCE.multipliedBy(9);

    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "conformance-peer-watchdog");
        thread.setDaemon(true);
        return thread;
    });

    private final PeerJvm jvm;
    private final Process process;
    private final BufferedWriter requests;
    private final BufferedReader answers;
    private boolean stopped;

    private Peer(PeerJvm jvm) {
        this.jvm = jvm;
        this.process = jvm.process();
        this.requests = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public static Peer start(LockStrategyProvider provider, LockConfig config) {
        try {
            String main = PeerMain.class.getName();
            String type = provider.getClass().getName();
            Peer peer = new Peer(PeerJvm.start(main, type));
            // Sent over the standard input, since arguments are visible to all users and endpoints may contain
            // passwords.
            String properties = PeerMain.properties();
            peer.send(properties);
            peer.ask("make a factory", ConfigText.write(config));
            ClassDataArchive.ofThisClassPath()
                    .ifPresent(archive -> archive.makeInBackground(
                            main,
                            List.of(type, PeerMain.AT_ONCE),
                            properties + "\n" + ConfigText.write(config) + "\n"));
            return peer;
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
     * does not answer for very long is killed, which ends the wait.
     */
    private String ask(String request) {
        return ask(request.split(" ", 2)[0], request);
    }

    /** Sends a request whose text may hold passwords; failure messages show {@code what} instead. */
    private String ask(String what, String request) {
        ScheduledFuture<?> end = WATCHDOG.schedule(process::destroyForcibly, LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        try {
            send(request);
            String answer = answers.readLine();
            if (answer == null) {
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

    /**
     * Waits for the lock, and returns the fencing token if there is one.
     *
     * @throws LockBackendException if the other process may try again, since its lease was over too early
     */
    public OptionalLong lock(String name, LockOptions options) {
        String fence =
                ask("lock " + PeerMain.encode(name) + " " + options.lease().toMillis() + " " + options.renewal());
        if (fence.startsWith(PeerMain.NOT_GRANTED)) {
            throw new LockBackendException(LockBackendException.Reason.OUTCOME_UNKNOWN, "another process: " + fence);
        }
        return fence.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(fence));
    }

    public boolean tryLock(String name) {
        return Boolean.parseBoolean(ask("tryLock " + PeerMain.encode(name)));
    }

    /** Unlocks, and returns the simple name of the exception's class, or an empty text. */
    public String unlock(String name) {
        return ask("unlock " + PeerMain.encode(name));
    }

    /** Waits, holding the lock, for the condition of a name until it is signalled, and goes on holding the lock. */
    public void await(String name, String condition) {
        ask("await " + PeerMain.encode(name) + " " + PeerMain.encode(condition));
    }

    /** Locks, signals the condition of a name, and unlocks. */
    public void signal(String name, String condition) {
        ask("signal " + PeerMain.encode(name) + " " + PeerMain.encode(condition));
    }

    /** Signals the condition of a name, and goes on holding the lock. */
    public void signalHolding(String name, String condition) {
        ask("signalHolding " + PeerMain.encode(name) + " " + PeerMain.encode(condition));
    }

    public boolean isHeld(String name) {
        return Boolean.parseBoolean(ask("isHeld " + PeerMain.encode(name)));
    }

    /** How often the process was told that it lost the lock. */
    public int losses(String name) {
        return Integer.parseInt(ask("losses " + PeerMain.encode(name)));
    }

    /** The fencing token of the lease that the process got last, whether or not it still has it. */
    public long fencingToken(String name) {
        return Long.parseLong(ask("fencingToken " + PeerMain.encode(name)));
    }

    /** The id of the thread that makes the calls. */
    public long threadId() {
        return Long.parseLong(ask("threadId"));
    }

    /** Starts threads that lock and unlock without end, each a name of its own. Returns when all of them have begun. */
    public void storm(String name, int threads, LockOptions options) {
        ask("storm " + PeerMain.encode(name) + " " + threads + " "
                + options.lease().toMillis());
    }

    /** Runs a load to its end, and writes its history into a file. */
    public void load(String name, String client, int threads, int rounds, Path history) {
        ask("load " + PeerMain.encode(name) + " " + client + " " + threads + " " + rounds + " "
                + PeerMain.encode(history.toString()));
    }

    /** Kills the process, which gets no chance to release anything. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Stops the process, which then stands still. */
    public void stop() {
        PosixSignals.send("STOP", process.pid());
        stopped = true;
    }

    /** Continues a process that was stopped. */
    public void goOn() {
        PosixSignals.send("CONT", process.pid());
        stopped = false;
    }

    @Override
    public void close() {
        if (stopped && process.isAlive()) {
            goOn();
        }
        kill();
    }
}
