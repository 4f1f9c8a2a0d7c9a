// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.combining;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.client.jedis.JedisChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is to be written on a {@link CombiningLink}, and what the server owes for what was written, in the same order.
 *
 * <p>The thread that finds nobody writing writes for all. No method blocks.
 */
final class LinkQueue {
    /** How much is written at once, at most, so that the server begins to answer. */
    private static final int MOST_BYTES = 16 * 1024;

    /** What may be written without an answer. The system takes as much at once, so that no write ever blocks. */
    private static final int MOST_UNANSWERED = 128 * 1024;

    /** So many commands the server is busy with when another one may wait for company. */
    private static final int FEW = 8;

    /** For how long a command waits for company, at least if other threads send more. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Environment env;
    private final JedisChannel channel;
    private final Consumer<Throwable> onBroken;
    private final ReentrantLock writing = new ReentrantLock();
    private final Queue<Transmission> outgoing = new ConcurrentLinkedQueue<>();

    /** Polled by whoever may read, or when nobody will any more. */
    private final Queue<Transmission> owed = new ConcurrentLinkedQueue<>();

    private final AtomicInteger owedCount = new AtomicInteger();
    private final AtomicInteger owedBytes = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
    private volatile boolean abandoned;
    private volatile long writtenNanos;

    /** @param onBroken told when the connection turns out to have ended */
    LinkQueue(Environment env, JedisChannel channel, Consumer<Throwable> onBroken) {
        this.env = env;
        this.channel = channel;
        this.onBroken = onBroken;
        this.writtenNanos = env.nanoTime();
    }

    void add(Transmission transmission) {
        outgoing.add(transmission);
    }

    /** Whether something is to be written. */
    boolean isWaiting() {
        return !outgoing.isEmpty();
    }

    /** Whether the server owes so many replies. */
    boolean owes(int count) {
        return owedCount.get() >= count;
    }

    /** Whether the server is busy with what was written a moment ago, so that what comes now may be written together. */
    boolean isBusy() {
        return owes(FEW) && env.nanoTime() - writtenNanos < PAUSE_NANOS;
    }

    /** Writes what waits, unless another thread does, or the server owes as much as it may. */
    void write() {
        while (mayWrite() && writing.tryLock()) {
            try {
                writeBatches();
            } finally {
                writing.unlock();
            }
        }
    }

    private boolean mayWrite() {
        return isWaiting() && (owedBytes.get() < MOST_UNANSWERED || hasEnded());
    }

    private void writeBatches() {
        List<Transmission> batch = new ArrayList<>();
        while (mayWrite()) {
            write(batch, take(batch));
            batch.clear();
        }
    }

    /** Takes what is to be written at once, of what waits. */
    private byte[] take(List<Transmission> batch) {
        Transmission first = outgoing.remove();
        batch.add(first);
        if (!isWaiting()) {
            return first.bytes();
        }
        ByteArrayOutputStream several = new ByteArrayOutputStream(1024);
        several.writeBytes(first.bytes());
        while (several.size() < MOST_BYTES && isWaiting()) {
            Transmission next = outgoing.remove();
            batch.add(next);
            several.writeBytes(next.bytes());
        }
        return several.toByteArray();
    }

    private void write(List<Transmission> batch, byte[] bytes) {
        Throwable ended = end.get();
        if (ended != null) {
            batch.forEach(each -> {
                each.noteUnsent();
                each.fail(ended);
            });
            return;
        }
        owedBytes.addAndGet(bytes.length);
        owedCount.addAndGet(batch.size());
        owed.addAll(batch);
        writtenNanos = env.nanoTime();
        try {
            channel.write(bytes, bytes.length);
        } catch (IOException e) {
            // With its last byte the write would have succeeded.
            batch.get(batch.size() - 1).noteUnsent();
            onBroken.accept(e);
        }
        if (abandoned) {
            failOwed();
        }
    }

    /** Takes what the next reply answers, if it answers anything. For the thread that reads. */
    @Nullable
    Transmission answered() {
        Transmission transmission = owed.poll();
        if (transmission != null) {
            owedCount.decrementAndGet();
            owedBytes.addAndGet(-transmission.bytes().length);
        }
        return transmission;
    }

    /** Whether nothing is written any more. */
    boolean hasEnded() {
        return end.get() != null;
    }

    /** Writes nothing any more; returns whether this was new. */
    boolean end(Throwable cause) {
        return end.compareAndSet(null, cause);
    }

    /** Fails what is owed and what waits, now that nobody reads any more and this has ended. */
    void abandon() {
        abandoned = true;
        failOwed();
        write();
    }

    private void failOwed() {
        Throwable cause = end.get();
        for (Transmission each = owed.poll(); each != null; each = owed.poll()) {
            each.fail(cause == null ? new IOException("the connection has ended") : cause);
        }
    }
}
