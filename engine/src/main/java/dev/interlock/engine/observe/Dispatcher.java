// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import dev.interlock.LockListener;
import dev.interlock.LockListener.EventsDropped;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls listeners on a daemon thread, one event after another, from a bounded queue. The thread is started for an event
 * and ends when there has been none for a second. Safe to use from any thread.
 */
final class Dispatcher {
    /** The number of events that may wait for a listener. */
    static final int CAPACITY = 4096;

    /** How long the thread waits for the next event, so that rare events do not start a thread each. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Tells the thread to end. */
    private static final Consumer<LockListener> END = Dispatcher::ignore;

    private enum State {
        NO_THREAD,
        /** The thread is running or being started, and checks the queue before it becomes idle. */
        BUSY,
        IDLE
    }

    private final List<LockListener> listeners;
    private final Host host;
    private final String strategy;
    private final RateLimitedLog failures;
    private final RateLimitedLog drops;
    private final RateLimitedLog threads;

    /**
     * A Java monitor, held for a few instructions: with a lock that unmounts, a virtual thread might find no carrier to
     * continue on.
     */
    private final Object lock = new Object();

    private final Queue<Consumer<LockListener>> queue = new ArrayDeque<>();

    /** The number of events that were dropped since the last one that was queued. */
    private long dropped;

    private State state = State.NO_THREAD;

    /** The thread that waits for the next event, while the state is {@link State#IDLE}. */
    private @Nullable Thread parked;

    private boolean closed;

    Dispatcher(List<LockListener> listeners, Host host, String strategy) {
        this.listeners = listeners;
        this.host = host;
        this.strategy = strategy;
        this.failures = new RateLimitedLog(
                host.nanoTime(),
                count -> "a lock listener threw an exception (" + count
                        + " since this was last logged); the locks are not affected");
        this.drops = new RateLimitedLog(
                host.nanoTime(),
                count -> "events of locks were dropped (" + count
                        + " since this was last logged) because a lock listener blocks or is too slow; the locks are not"
                        + " affected");
        this.threads = new RateLimitedLog(
                host.nanoTime(),
                count -> "the thread that calls lock listeners could not be started (" + count
                        + " times since this was last logged); the next event tries again");
    }

    /** Queues an event, or drops it if the queue is full. Neither waits for a listener nor throws. */
    void add(Consumer<LockListener> event) {
        boolean full;
        boolean starts;
        Thread woken = null;
        synchronized (lock) {
            full = queue.size() >= CAPACITY;
            if (full) {
                dropped++;
            } else {
                if (dropped > 0) {
                    queue.add(takeDropped());
                }
                queue.add(event);
            }
            starts = state == State.NO_THREAD;
            if (state == State.IDLE) {
                woken = parked;
            }
            state = State.BUSY;
        }
        if (starts) {
            start();
        }
        if (woken != null) {
            host.unpark().accept(woken);
        }
        if (full) {
            drops.add(null);
        }
    }

    /** Lets the thread end as soon as the events that are queued have been delivered. */
    void close() {
        Thread woken;
        synchronized (lock) {
            closed = true;
            woken = state == State.IDLE ? parked : null;
        }
        if (woken != null) {
            host.unpark().accept(woken);
        }
    }

    /** Not under the lock: the application may supply the threads. */
    private void start() {
        try {
            host.newThread().apply("listener", this::run).start();
        } catch (Throwable e) {
            hasNoThread();
            threads.add(e);
        }
    }

    private void hasNoThread() {
        synchronized (lock) {
            state = State.NO_THREAD;
        }
    }

    private static void ignore(LockListener listener) {}

    @SuppressWarnings("ReferenceEquality") // END is a marker, compared by identity.
    private void run() {
        boolean ended = false;
        try {
            for (Consumer<LockListener> event = next(); event != END; event = next()) {
                deliver(event);
            }
            ended = true;
        } finally {
            if (!ended) {
                hasNoThread();
            }
        }
    }

    private void deliver(Consumer<LockListener> event) {
        for (LockListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                failures.add(e);
            }
            // An interrupt status that one listener leaves set must not disturb the next one.
            Thread.interrupted();
        }
    }

    /** Waits for the next event; returns {@link #END} if there was none for a while. */
    private Consumer<LockListener> next() {
        Consumer<LockListener> event = poll(false);
        if (event != null) {
            return event;
        }
        long since = host.nanoTime().getAsLong();
        while (true) {
            long left = since + IDLE_NANOS - host.nanoTime().getAsLong();
            event = poll(left <= 0);
            if (event != null) {
                return event;
            }
            // An interrupt would end each park at once.
            Thread.interrupted();
            host.park().accept(this, left);
        }
    }

    /**
     * Removes and returns the next event. If there is none, returns {@link #END} if the thread may end, otherwise
     * {@code null}.
     */
    private @Nullable Consumer<LockListener> poll(boolean mayEnd) {
        synchronized (lock) {
            Consumer<LockListener> event = queue.poll();
            if (event == null && dropped > 0) {
                event = takeDropped();
            }
            boolean ends = event == null && (mayEnd || closed);
            boolean waits = event == null && !ends;
            state = ends ? State.NO_THREAD : waits ? State.IDLE : State.BUSY;
            parked = waits ? Thread.currentThread() : null;
            return ends ? END : event;
        }
    }

    /** Creates the event that reports the dropped ones. Under the lock. */
    private Consumer<LockListener> takeDropped() {
        EventsDropped event = new EventsDropped(strategy, dropped);
        dropped = 0;
        return listener -> listener.eventsDropped(event);
    }
}
