// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import dev.interlock.conformance.history.Event.Op;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Records a history in memory, and in a file if wanted. An invocation must be recorded before the call and an outcome
 * after it. Recorders are safe to use from any thread; they synchronize the threads that use them, so a test of memory
 * effects must not use one.
 */
public final class Recorder implements AutoCloseable {
    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Event> events = new ArrayList<>();
    private final OutputStream copy;

    /** Creates a recorder that keeps events in memory alone. */
    public Recorder() {
        this(OutputStream.nullOutputStream());
    }

    private Recorder(OutputStream copy) {
        this.copy = copy;
    }

    /**
     * Creates a recorder that also writes each event to a file before it returns, so that the death of the process
     * loses none.
     *
     * @param file the file, which is overwritten; {@link JsonLines#read(Path)} reads it
     * @return a new recorder
     * @throws UncheckedIOException if the file cannot be written
     */
    public static Recorder toFile(Path file) {
        try {
            return new Recorder(new FileOutputStream(file.toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history to " + file, e);
        }
    }

    /**
     * Records that a call begins now.
     *
     * @param process who makes it
     * @param op the call
     * @param lock the name of the lock
     */
    public void invoke(String process, Op op, String lock) {
        add(System.nanoTime(), process, Event.Type.INVOKE, op, lock);
    }

    /**
     * Records that the lock was granted.
     *
     * @param nanos a moment after the call's end; if {@code validNanos} is given, a moment before the lease was asked
     *     how long it is valid
     * @param process who holds the lock
     * @param lock the name of the lock
     * @param fence the fencing token, if there is one
     * @param validNanos how long the lease said that it is valid, or empty if it is renewed
     */
    public void acquired(long nanos, String process, String lock, OptionalLong fence, OptionalLong validNanos) {
        add(nanos, process, Event.Type.OK, Op.ACQUIRE, lock, fence, validNanos, Optional.empty());
    }

    /**
     * Records that a release has succeeded.
     *
     * @param process who held the lock
     * @param lock the name of the lock
     */
    public void released(String process, String lock) {
        add(System.nanoTime(), process, Event.Type.OK, Op.RELEASE, lock);
    }

    /**
     * Records that a call has ended without an effect, without an exception.
     *
     * @param process who made it
     * @param op the call
     * @param lock the name of the lock
     */
    public void failed(String process, Op op, String lock) {
        add(System.nanoTime(), process, Event.Type.FAIL, op, lock);
    }

    /**
     * Records that a call has thrown and had no effect.
     *
     * @param process who made it
     * @param op the call
     * @param lock the name of the lock
     * @param error what it threw
     */
    public void failed(String process, Op op, String lock, Throwable error) {
        add(System.nanoTime(), process, Event.Type.FAIL, op, lock, error);
    }

    /**
     * Records that a call has thrown and may have had an effect, or may have one later.
     *
     * @param process who made it
     * @param op the call
     * @param lock the name of the lock
     * @param error what it threw
     */
    public void unknown(String process, Op op, String lock, Throwable error) {
        add(System.nanoTime(), process, Event.Type.UNKNOWN, op, lock, error);
    }

    /**
     * Records that a lease is lost. The holder may have learnt that late; others may hold the lock from {@code nanos}
     * on.
     *
     * @param nanos the last moment at which the lock is known to have been held
     * @param process who held it
     * @param lock the name of the lock
     * @param fence the fencing token of the hold that was lost, if there is one
     */
    public void lost(long nanos, String process, String lock, OptionalLong fence) {
        add(nanos, process, Event.Type.OK, Op.LOST, lock, fence, OptionalLong.empty(), Optional.empty());
    }

    private void add(long nanos, String process, Event.Type type, Op op, String lock) {
        add(nanos, process, type, op, lock, OptionalLong.empty(), OptionalLong.empty(), Optional.empty());
    }

    private void add(long nanos, String process, Event.Type type, Op op, String lock, Throwable error) {
        Optional<String> name = Optional.of(error.getClass().getSimpleName());
        add(nanos, process, type, op, lock, OptionalLong.empty(), OptionalLong.empty(), name);
    }

    private void add(
            long nanos,
            String process,
            Event.Type type,
            Op op,
            String lock,
            OptionalLong fence,
            OptionalLong validNanos,
            Optional<String> error) {
        mutex.lock();
        try {
            Event event = new Event(events.size(), nanos, process, type, op, lock, fence, validNanos, error);
            events.add(event);
            // The whole line is one write, so that a process that is killed leaves no partial line.
            copy.write((JsonLines.format(event) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history", e);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Returns what has been recorded so far.
     *
     * @return the events in the order in which they were recorded; a copy
     */
    public List<Event> events() {
        mutex.lock();
        try {
            return List.copyOf(events);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Closes the file, if there is one.
     *
     * @throws UncheckedIOException if that fails
     */
    @Override
    public void close() {
        try {
            copy.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the history", e);
        }
    }
}
