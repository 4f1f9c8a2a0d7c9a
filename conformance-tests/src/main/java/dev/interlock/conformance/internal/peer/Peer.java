// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.conformance.child.ClassDataArchive;
import dev.interlock.conformance.child.PosixSignals;
import dev.interlock.conformance.internal.actor.Scale;
import dev.interlock.spi.LockStrategyProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/** A client in a JVM of its own. Its main thread makes the calls that are requested here; see {@link PeerMain}. */
public final class Peer implements AutoCloseable {
    /** More than any answer takes, even that to a start of the JVM or to a load. */
    public static final Duration LIMIT = Scale.PATIENCE.multipliedBy(9);

    /** The value of {@link #unanswered} once this client has ended, and the process may serve another. */
    private static final int ENDED = -1;

    private final PeerProcess process;

    /** How many requests have no answer yet. */
    private final AtomicInteger unanswered = new AtomicInteger();

    private Peer(PeerProcess process) {
        this.process = process;
    }

    /** Starts a client in a process that no other uses meanwhile; one that is closed may have used it before. */
    public static Peer start(LockStrategyProvider provider, LockConfig config) {
        return begin(provider, config, PeerProcess::take);
    }

    /** Starts a client in a process that no other has used. */
    public static Peer startFresh(LockStrategyProvider provider, LockConfig config) {
        return begin(provider, config, PeerProcess::start);
    }

    private static Peer begin(
            LockStrategyProvider provider, LockConfig config, BiFunction<String, String, PeerProcess> processes) {
        String type = provider.getClass().getName();
        // Sent over the standard input, since arguments are visible to all users and endpoints may contain passwords.
        String properties = PeerMain.properties();
        String text = ConfigText.write(config);
        ClassDataArchive.ofThisClassPath()
                .ifPresent(archive -> archive.makeOnce(
                        PeerMain.class.getName(), List.of(type, PeerMain.AT_ONCE), properties + "\n" + text + "\n"));
        PeerProcess process = processes.apply(type, properties);
        try {
            process.ask("make a factory", text, LIMIT);
        } catch (AssertionError e) {
            process.kill();
            throw e;
        }
        return new Peer(process);
    }

    private String ask(String request) {
        requireNotEnded(unanswered.getAndUpdate(now -> now == ENDED ? ENDED : now + 1));
        String answer = process.ask(request.split(" ", 2)[0], request, LIMIT);
        unanswered.decrementAndGet();
        return answer;
    }

    private static void requireNotEnded(int unanswered) {
        if (unanswered == ENDED) {
            throw new AssertionError("this client of another process has ended");
        }
    }

    long pid() {
        return process.pid();
    }

    boolean owesAnAnswer() {
        return unanswered.get() > 0;
    }

    /**
     * Waits for the lock, and returns the fencing token if there is one.
     *
     * @throws LockBackendException if the other process may try again, since its lease was over too early
     */
    public OptionalLong lock(String name, LockOptions options) {
        return lock("lock", name, options);
    }

    /** As {@link #lock}, for the read lock of a name, which the name means in later requests. */
    public OptionalLong lockToRead(String name, LockOptions options) {
        return lock("lockToRead", name, options);
    }

    /** As {@link #lock}, for the write lock of a name, which the name means in later requests. */
    public OptionalLong lockToWrite(String name, LockOptions options) {
        return lock("lockToWrite", name, options);
    }

    /** As {@link #lock}, for one lock over several names, which {@link #nameOf} means in later requests. */
    public OptionalLong lockSeveral(List<String> names, LockOptions options) {
        return lock("lockSeveral", nameOf(names), options);
    }

    /** Returns what means the lock over several names in requests. */
    public static String nameOf(List<String> names) {
        return String.join(PeerMain.BETWEEN_NAMES, names);
    }

    private OptionalLong lock(String request, String name, LockOptions options) {
        String fence = ask(
                request + " " + PeerMain.encode(name) + " " + options.lease().toMillis() + " " + options.renewal());
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
        if (unanswered.get() != ENDED) {
            process.kill();
        }
    }

    /** Stops the process, which then stands still. */
    public void stop() {
        requireNotEnded(unanswered.get());
        PosixSignals.stop(process.pid());
    }

    /** Continues a process that was stopped. */
    public void goOn() {
        PosixSignals.goOn(process.pid());
    }

    /** Ends this client, and keeps its process for the next one; kills it if it is not at rest. */
    @Override
    public void close() {
        boolean atRest = unanswered.compareAndSet(0, ENDED);
        if (!atRest && unanswered.get() == ENDED) {
            return;
        }
        if (!atRest || !process.giveBack()) {
            process.kill();
        }
    }
}
