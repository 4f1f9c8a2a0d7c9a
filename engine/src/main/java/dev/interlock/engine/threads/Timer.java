// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.engine.environment.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that hands entries to a handler when they are due.
 *
 * <p>The entries are spread over several heaps with a lock each, so that threads that lock different names do not meet here.
 * Scheduling wakes the thread only if the entry is due sooner than the thread would wake anyway, and cancelling never does, so
 * that a lock that is taken and freed again costs no switch of threads. Safe to use from any thread.
 */
public final class Timer {
    private static final System.Logger LOG = System.getLogger(Timer.class.getPackageName());

    private static final int STRIPES = 8;

    private final Environment env;
    private final String threadName;
    private final Consumer<List<Entry>> handler;
    private final TimerHeap[] stripes = new TimerHeap[STRIPES];
    private final Object starting = new Object();

    private volatile @Nullable Thread thread;

    /** Whether the thread looks through the heaps; then it may have passed the one to which an entry is added. */
    private volatile boolean scanning;

    /** When the thread wakes by itself; valid while it is not scanning. */
    private volatile long wakeNanos;

    private volatile boolean busy;
    private volatile boolean closed;
    private volatile @Nullable Thread closer;

    /** Something that is due at a moment. Belongs to one timer at most; its fields are guarded by the lock of its heap. */
    public abstract static class Entry {
        private final int stripe;
        long dueNanos;

        /** How much too early it may be handled, to share a request with others. */
        long earlyNanos;

        /** Its index in the heap, or -1. */
        int position = -1;

        /** @param hash spreads the entries over the heaps */
        protected Entry(int hash) {
            this.stripe = (hash ^ hash >>> 16) & STRIPES - 1;
        }
    }

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
     * @param earlyNanos how much too early it may be handled
     */
    public void schedule(Entry entry, long dueNanos, long earlyNanos) {
        if (thread == null) {
            // First, so that nothing is planned if the thread cannot be started.
            start();
        }
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

    private void start() {
        synchronized (starting) {
            if (thread == null && !closed) {
                Thread fresh = env.newThread(threadName, this::run);
                scanning = true;
                fresh.start();
                thread = fresh;
            }
        }
    }

    private void run() {
        while (!closed) {
            // An interrupt means nothing here, and would keep the thread from sleeping.
            Thread.interrupted();
            List<Entry> due = new ArrayList<>();
            long sleepNanos = takeDue(due);
            if (!due.isEmpty()) {
                handle(due);
            } else if (!closed) {
                env.park(this, sleepNanos);
            }
        }
        busy = false;
        Thread waiting = closer;
        if (waiting != null) {
            env.unpark(waiting);
        }
    }

    /** Moves what is due to the list, or returns how long nothing will be. */
    private long takeDue(List<Entry> due) {
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
            takeEarly(now, due);
            return 0;
        }
        busy = false;
        wakeNanos = now + sleepNanos;
        scanning = false;
        return sleepNanos;
    }

    /** Where a request is to be sent anyway, takes along what may share it. */
    private void takeEarly(long now, List<Entry> due) {
        for (TimerHeap heap : stripes) {
            synchronized (heap) {
                heap.takeWithin(now, due);
            }
        }
    }

    private void handle(List<Entry> due) {
        try {
            handler.accept(due);
        } catch (Throwable e) {
            // The thread serves all locks of a factory and must outlive whatever one of them runs into.
            LOG.log(System.Logger.Level.ERROR, threadName + " failed", e);
        }
    }

    /**
     * Takes nothing more on, waits for what is being handled, and ends the thread. By one thread.
     *
     * @param untilNanos when to stop waiting, on the monotonic clock
     * @return what was not handled
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
