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
 * The commands to be written on a {@link CombiningLink}, and the written ones whose replies are outstanding, in the
 * same order.
 *
 * <p>A thread that finds no other writing writes for all. No method blocks.
 */
final class LinkQueue {
    /** The most bytes per write, so that the server can begin to reply. */
    private static final int MOST_BYTES = 16 * 1024;

    /** The most bytes that may be unanswered. The send buffer takes as much, so that no write ever blocks. */
    private static final int MOST_UNANSWERED = 128 * 1024;

    /** The number of unanswered commands from which on another one may wait to be written together with more. */
    private static final int FEW = 8;

    /** The pause in which commands of other threads may join a write. */
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Environment env;
    private final JedisChannel channel;
    private final Consumer<Throwable> onBroken;
    private final ReentrantLock writing = new ReentrantLock();
    private final Queue<Transmission> outgoing = new ConcurrentLinkedQueue<>();

    /** Polled by the thread that reads, or after the last reader has left. */
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

    /** Returns whether commands are queued. */
    boolean isWaiting() {
        return !outgoing.isEmpty();
    }

    /** Returns whether at least so many replies are outstanding. */
    boolean owes(int count) {
        return owedCount.get() >= count;
    }

    /**
     * Returns whether the server is busy with recent commands, so that new ones may be collected for one write.
     */
    boolean isBusy() {
        return owes(FEW) && env.nanoTime() - writtenNanos < PAUSE_NANOS;
    }

    /** Writes queued commands, unless another thread does, or the limit of unanswered bytes is reached. */
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

    /** Takes the commands of the next write from the queue. */
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
            // The last byte was not sent, or the write would have succeeded.
            batch.get(batch.size() - 1).noteUnsent();
            onBroken.accept(e);
        }
        if (abandoned) {
            failOwed();
        }
    }

    /** Takes the command that the next reply answers, if there is one. Called by the thread that reads. */
    @Nullable
    Transmission answered() {
        Transmission transmission = owed.poll();
        if (transmission != null) {
            owedCount.decrementAndGet();
            owedBytes.addAndGet(-transmission.bytes().length);
        }
        return transmission;
    }

    /** Returns whether the queue has ended. */
    boolean hasEnded() {
        return end.get() != null;
    }

    /** Ends the queue: nothing is written from now on. Returns whether it had not ended before. */
    boolean end(Throwable cause) {
        return end.compareAndSet(null, cause);
    }

    /** Fails all outstanding and queued commands, after the end of the queue and of the last reader. */
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
