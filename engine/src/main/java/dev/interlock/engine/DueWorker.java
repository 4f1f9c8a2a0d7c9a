// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that hands items to a handler when they are due, several at once where they are due at nearly the same time.
 *
 * <p>The thread starts with the first item and sleeps until the next one is due. Adding an item wakes it only if that item is due
 * sooner than it would wake anyway, and removing one never does, so that a lock that is taken and freed again costs no
 * switch of threads. Safe to use from any thread.
 */
final class DueWorker<T> {
    private static final System.Logger LOG = System.getLogger(DueWorker.class.getPackageName());

    private final Environment env;
    private final String threadName;
    private final long slackNanos;
    private final Consumer<List<T>> handler;

    private final ReentrantLock mutex = new ReentrantLock();
    private final TreeSet<Entry<T>> entries = new TreeSet<>();
    private @Nullable Thread thread;
    private long nextSequence;
    private long wakeNanos;
    private boolean sleeping;
    private boolean busy;
    private boolean closed;
    private @Nullable Thread closer;

    /** An item that is waiting to be due. */
    static final class Entry<T> implements Comparable<Entry<T>> {
        private final T item;
        private final long atNanos;
        private final long sequence;

        private Entry(T item, long atNanos, long sequence) {
            this.item = item;
            this.atNanos = atNanos;
            this.sequence = sequence;
        }

        @Override
        public int compareTo(Entry<T> other) {
            long order = atNanos != other.atNanos ? atNanos - other.atNanos : sequence - other.sequence;
            return Long.signum(order);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(sequence);
        }
    }

    /**
     * Creates a worker.
     *
     * @param slackNanos how much too early an item may be handled to share a call with one that is due
     */
    DueWorker(Environment env, String threadName, long slackNanos, Consumer<List<T>> handler) {
        this.env = env;
        this.threadName = threadName;
        this.slackNanos = slackNanos;
        this.handler = handler;
    }

    Entry<T> add(T item, long atNanos) {
        mutex.lock();
        try {
            Entry<T> entry = new Entry<>(item, atNanos, nextSequence++);
            if (closed) {
                return entry;
            }
            if (thread == null) {
                // First, so that nothing is left here for later if a thread cannot be had.
                Thread fresh = env.newThread(threadName, this::run);
                fresh.start();
                thread = fresh;
            } else if (sleeping && atNanos - wakeNanos < 0) {
                env.unpark(thread);
            }
            entries.add(entry);
            return entry;
        } finally {
            mutex.unlock();
        }
    }

    void remove(Entry<T> entry) {
        mutex.lock();
        try {
            entries.remove(entry);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Takes nothing more on, waits for what is being handled, and ends the thread. By one thread.
     *
     * @param untilNanos when to stop waiting, on the monotonic clock
     * @return what was not handled
     */
    List<T> close(Waiting waiting, long untilNanos) {
        List<T> rest = new ArrayList<>();
        mutex.lock();
        try {
            closed = true;
            closer = Thread.currentThread();
            entries.forEach(entry -> rest.add(entry.item));
            entries.clear();
            if (thread != null) {
                env.unpark(thread);
            }
        } finally {
            mutex.unlock();
        }
        for (long left = untilNanos - env.nanoTime(); isBusy() && left > 0; left = untilNanos - env.nanoTime()) {
            waiting.park(this, left);
        }
        return rest;
    }

    private boolean isBusy() {
        mutex.lock();
        try {
            return busy;
        } finally {
            mutex.unlock();
        }
    }

    private void run() {
        while (true) {
            List<T> due = new ArrayList<>();
            long sleepNanos = takeDue(due);
            if (!due.isEmpty()) {
                handle(due);
            } else if (sleepNanos < 0) {
                return;
            } else {
                env.park(this, sleepNanos);
            }
        }
    }

    /** Moves what is due to the list, or returns how long to sleep; a negative time for ever. */
    long takeDue(List<T> due) {
        mutex.lock();
        try {
            sleeping = false;
            busy = false;
            if (closed) {
                if (closer != null) {
                    env.unpark(closer);
                }
                return -1;
            }
            long now = env.nanoTime();
            if (entries.isEmpty() || entries.first().atNanos - now > 0) {
                sleeping = true;
                long sleepNanos = entries.isEmpty() ? Long.MAX_VALUE : entries.first().atNanos - now;
                wakeNanos = entries.isEmpty() ? now + Long.MAX_VALUE / 2 : entries.first().atNanos;
                return sleepNanos;
            }
            while (!entries.isEmpty() && entries.first().atNanos - now <= slackNanos) {
                due.add(entries.pollFirst().item);
            }
            busy = true;
            return 0;
        } finally {
            mutex.unlock();
        }
    }

    private void handle(List<T> due) {
        try {
            handler.accept(due);
        } catch (Throwable e) {
            // The thread serves all locks of a factory and must outlive whatever one of them runs into.
            LOG.log(System.Logger.Level.ERROR, threadName + " failed", e);
        }
    }
}
