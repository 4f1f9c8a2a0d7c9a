// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that hands entries to a handler when they are due.
 *
 * <p>The entries are spread over several heaps with a lock each, so that threads that lock different names do not
 * contend. Scheduling wakes the thread only if the entry is due sooner than the thread would wake anyway, and
 * cancelling never does, so that a lock that is taken and freed again costs no switch of threads. Safe to use from any
 * thread.
 */
public final class Timer {
    private static final QuietLog LOG = QuietLog.of(Timer.class);

    private static final int STRIPES = 8;

    /** How long the thread waits after an error before it goes on. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Environment env;
    private final String threadName;
    private final Consumer<List<Entry>> handler;
    private final TimerHeap[] stripes = new TimerHeap[STRIPES];
    private final Object starting = new Object();

    /**
     * The entries to handle now; used by the timer's thread only. Entries that a failing handler leaves here are
     * handled again.
     */
    private final List<Entry> due = new ArrayList<>();

    private volatile @Nullable Thread thread;

    /** Whether the thread is scanning the heaps; it may already have passed the heap to which an entry is added. */
    private volatile boolean scanning;

    /** When the thread wakes by itself; valid while it is not scanning. */
    private volatile long wakeNanos;

    private volatile boolean busy;
    private volatile boolean closed;
    private volatile @Nullable Thread closer;

    /**
     * An entry, due at some moment. Belongs to at most one timer; the lock of its heap guards its fields, which are
     * small since each held lock has an entry.
     */
    public abstract static class Entry {
        private final byte stripe;
        long dueNanos;

        /** How early it may be handled, to share a request with others. */
        int earlyNanos;

        /** Its index in the heap, or -1. */
        int position = -1;

        /** @param hash spreads the entries over the heaps */
        protected Entry(int hash) {
            this.stripe = (byte) ((hash ^ hash >>> 16) & STRIPES - 1);
        }
    }

    /**
     * @param handler takes entries; may be given the same ones again if it throws, unless it has removed them from the
     *     list
     */
    public Timer(Environment env, String threadName, Consumer<List<Entry>> handler) {
        this.env = env;
        this.threadName = threadName;
        this.handler = handler;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new TimerHeap();
        }
    }

    /**
     * Plans an entry, or moves it if it is planned already. Has no effect after {@link #close}.
     *
     * @param dueNanos when it is due, on the monotonic clock
     * @param earlyNanos how early it may be handled, at most two seconds
     */
    public void schedule(Entry entry, long dueNanos, int earlyNanos) {
        // Started first, so that nothing is planned if the thread cannot be started.
        ensureStarted();
        TimerHeap heap = stripes[entry.stripe];
        synchronized (heap) {
            if (closed) {
                return;
            }
            entry.earlyNanos = earlyNanos;
            heap.put(entry, dueNanos);
        }
        if (scanning || dueNanos - wakeNanos < 0) {
            Thread waker = thread;
            if (waker != null) {
                env.unpark(waker);
            }
        }
    }

    public void cancel(Entry entry) {
        TimerHeap heap = stripes[entry.stripe];
        synchronized (heap) {
            heap.remove(entry);
        }
    }

    /** Starts the thread unless it runs; throws if it cannot be started. */
    public void ensureStarted() {
        if (thread != null || closed) {
            return;
        }
        // Not under a lock, since the application may supply the threads. A thread that comes too late is never
        // started.
        Thread fresh = env.newThread(threadName, this::run);
        synchronized (starting) {
            if (thread == null && !closed) {
                scanning = true;
                fresh.start();
                thread = fresh;
            }
        }
    }

    private void run() {
        while (!closed) {
            try {
                turn();
            } catch (Throwable e) {
                // The thread serves all locks of a factory and must not die: nothing restarts it.
                recover(e);
            }
        }
        busy = false;
        Thread waiting = closer;
        if (waiting != null) {
            env.unpark(waiting);
        }
    }

    private void turn() {
        // Clears the interrupt status, which means nothing here and would keep the thread from sleeping.
        Thread.interrupted();
        long sleepNanos = takeDue();
        if (!due.isEmpty()) {
            handler.accept(due);
            due.clear();
        } else if (!closed) {
            env.park(this, sleepNanos);
        }
    }

    private void recover(Throwable failure) {
        try {
            env.park(this, PAUSE_NANOS);
            LOG.log(System.Logger.Level.ERROR, threadName + " failed", failure);
        } catch (Throwable e) {
            // Even logging may fail if memory has run out; the next turn comes all the same.
        }
    }

    /** Moves the entries that are due to the list, or returns the time until the next one is due. */
    private long takeDue() {
        scanning = true;
        busy = true;
        long now = env.nanoTime();
        long sleepNanos = Long.MAX_VALUE / 2;
        for (TimerHeap heap : stripes) {
            synchronized (heap) {
                Entry first = heap.first();
                while (first != null && first.dueNanos - now <= 0) {
                    heap.takeWithin(now, due);
                    first = heap.first();
                }
                if (first != null) {
                    sleepNanos = Math.min(sleepNanos, first.dueNanos - now);
                }
            }
        }
        if (!due.isEmpty()) {
            takeEarly(now);
            return 0;
        }
        busy = false;
        wakeNanos = now + sleepNanos;
        scanning = false;
        return sleepNanos;
    }

    /** Adds entries that may be handled early, so that they share a request with the due ones. */
    private void takeEarly(long now) {
        for (TimerHeap heap : stripes) {
            synchronized (heap) {
                heap.takeWithin(now, due);
            }
        }
    }

    /**
     * Accepts no more entries, waits for the ones being handled, and ends the thread. Called by one thread.
     *
     * @param untilNanos when to stop waiting, on the monotonic clock
     * @return the entries that were not handled
     */
    public List<Entry> close(Wait wait, long untilNanos) {
        closer = Thread.currentThread();
        List<Entry> rest = new ArrayList<>();
        synchronized (starting) {
            closed = true;
        }
        for (TimerHeap heap : stripes) {
            synchronized (heap) {
                heap.drain(rest);
            }
        }
        Thread running = thread;
        if (running != null) {
            env.unpark(running);
        }
        for (long left = untilNanos - env.nanoTime(); busy && left > 0; left = untilNanos - env.nanoTime()) {
            wait.park(this, left);
        }
        return rest;
    }
}
