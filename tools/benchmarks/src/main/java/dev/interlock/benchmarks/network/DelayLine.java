// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Delivers chunks of many streams a fixed time after their arrival, by one thread.
 *
 * <p>All chunks wait equally long, so one queue in the order of arrival is also in the order of delivery. Chunks that
 * wait do not prevent others from being accepted.
 */
final class DelayLine implements AutoCloseable {
    private final BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::deliverAll, "delay-line");
    private volatile long delayNanos;

    /** A part of a stream, or its end if it has no bytes, and when it is to be delivered. */
    private record Chunk(DelayedStream stream, @Nullable ByteBuffer bytes, long due) {}

    DelayLine() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Sets the delay of chunks that arrive from now on. */
    void delay(Duration delay) {
        delayNanos = delay.toNanos();
    }

    /** Takes in what has just arrived. */
    void add(DelayedStream stream, ByteBuffer bytes) {
        chunks.add(new Chunk(stream, bytes, System.nanoTime() + delayNanos));
    }

    /** Takes in the end of a stream. */
    void addEnd(DelayedStream stream) {
        chunks.add(new Chunk(stream, null, System.nanoTime() + delayNanos));
    }

    private void deliverAll() {
        wakeUpOnTime();
        try {
            while (true) {
                Chunk chunk = chunks.take();
                awaitDue(chunk.due);
                if (chunk.bytes == null) {
                    chunk.stream.end();
                } else {
                    chunk.stream.deliver(chunk.bytes);
                }
            }
        } catch (InterruptedException e) {
            // The line is closed.
        }
    }

    private static void awaitDue(long due) throws InterruptedException {
        for (long rest = due - System.nanoTime(); rest > 0; rest = due - System.nanoTime()) {
            LockSupport.parkNanos(rest);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /**
     * Asks Linux to wake this thread when it is time. By default a thread may sleep 50 µs longer than it asked for,
     * which is half of a delay of 100 µs.
     */
    private static void wakeUpOnTime() {
        try {
            Path id = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
            Files.writeString(Path.of("/proc", id.toString(), "timerslack_ns"), "1");
        } catch (IOException e) {
            // Other systems have no such setting. The measured round trips show how exact their timers are.
        }
    }

    /** Delivers nothing any more. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
