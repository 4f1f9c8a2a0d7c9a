// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.time;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler of a simulation: a queue of events on a virtual clock. An event is an action of the world, or the turn
 * of a thread. One thread runs at a time, and only gives its turn up where it waits, so that the seed decides the order
 * of everything.
 *
 * <p>A thread that gives its turn up carries out the next events itself, until one is the turn of another thread, since
 * most of them take less time than to wake another thread. An action that calls the code of a client is left to the
 * driver, which is no thread of a client: that code may ask which thread it runs on.
 *
 * <p>Only the thread that has the turn, or that carries out events, uses the state.
 */
public final class VirtualTime {
    /** How long a thread may run without waiting before the simulation is taken to be stuck, in real time. */
    private static final Duration STUCK = Duration.ofSeconds(60);

    /** A thread that is woken goes on within this time. */
    private static final int WAKE_NANOS = 50_000;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Random random;
    private final Semaphore driver = new Semaphore(0);
    private final long stuckNanos;
    private long now;

    /** The time at which the present run stops. */
    private long end;

    private long order;
    private int threads;
    private Runnable afterAction = () -> {};
    private @Nullable SimulatedThread running;

    /** Counts the turns of threads, so that the driver sees whether there are any. */
    private final AtomicLong turns = new AtomicLong();

    /** What a thread of the simulation has ended by. */
    private @Nullable Throwable failure;

    /** What an action has thrown at a thread that carried it out. */
    private @Nullable Throwable thrown;

    /**
     * An event at a time: an action, or the turn of a thread that has not been woken otherwise since.
     *
     * @param driven whether only the driver may carry the action out
     */
    private record Event(
            long at,
            long order,
            @Nullable Runnable action,
            boolean driven,
            @Nullable SimulatedThread thread,
            long turn) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime == 0 ? Long.compare(order, other.order) : byTime;
        }
    }

    /**
     * Creates a clock that stands at zero.
     *
     * @param seed decides how long woken threads take to go on
     */
    public VirtualTime(long seed) {
        this(seed, STUCK);
    }

    VirtualTime(long seed, Duration stuck) {
        random = new Random(seed);
        stuckNanos = stuck.toNanos();
    }

    /**
     * Returns the time.
     *
     * @return nanoseconds since the simulation began
     */
    public long now() {
        return now;
    }

    /** Lets a little time pass, so that nobody who only looks at the clock waits for ever. */
    void look() {
        if (running != null) {
            now += 100;
        }
    }

    /**
     * Plans an action that calls no code of a client.
     *
     * @param at the time, in nanoseconds since the simulation began
     * @param action what happens then; must not wait
     */
    public void at(long at, Runnable action) {
        events.add(new Event(Math.max(at, now), order++, action, false, null, 0));
    }

    /**
     * Plans an action that may call the code of a client, as a thread of none.
     *
     * @param at the time, in nanoseconds since the simulation began
     * @param action what happens then; must not wait
     */
    public void callAt(long at, Runnable action) {
        events.add(new Event(Math.max(at, now), order++, action, true, null, 0));
    }

    /**
     * Plans an action that calls no code of a client.
     *
     * @param nanos how long from now, in nanoseconds
     * @param action what happens then; must not wait
     */
    public void in(long nanos, Runnable action) {
        at(now + nanos, action);
    }

    /**
     * Plans an action that may call the code of a client, as a thread of none.
     *
     * @param nanos how long from now, in nanoseconds
     * @param action what happens then; must not wait
     */
    public void callIn(long nanos, Runnable action) {
        callAt(now + nanos, action);
    }

    /** Gives a thread a turn at a time, unless it is woken otherwise before. */
    void turn(SimulatedThread thread, long at) {
        events.add(new Event(Math.max(at, now), order++, null, false, thread, thread.wait));
    }

    int nextThread() {
        return ++threads;
    }

    void wake(SimulatedThread thread) {
        thread.wait++;
        thread.parked = false;
        turn(thread, now + random.nextInt(WAKE_NANOS));
    }

    /** Gives the turn of the current thread up until an event gives it back. */
    void await(SimulatedThread thread) {
        running = null;
        try {
            while (running == null && isForAnyThread(events.peek())) {
                carryOut(events.remove());
            }
        } catch (RuntimeException | Error e) {
            running = null;
            thrown = e;
        }
        SimulatedThread next = running;
        if (next == thread) {
            return;
        }
        (next == null ? driver : next.baton).release();
        thread.baton.acquireUninterruptibly();
    }

    private boolean isForAnyThread(@Nullable Event event) {
        return event != null && event.at <= end && !event.driven;
    }

    /** Carries out an action, or makes the thread whose turn it is the one that runs. */
    private void carryOut(Event event) {
        SimulatedThread thread = event.thread;
        if (thread == null) {
            now = Math.max(now, event.at);
            Runnable action = event.action;
            if (action != null) {
                action.run();
            }
            afterAction.run();
        } else if (thread.wait == event.turn) {
            if (thread.machine.isRunning()) {
                now = Math.max(now, event.at);
                running = thread;
                turns.incrementAndGet();
            } else {
                thread.machine.keep(thread);
            }
        }
    }

    /** A thread has ended. */
    void ended(@Nullable Throwable by) {
        if (by != null && failure == null) {
            failure = by;
        }
        running = null;
        driver.release();
    }

    /**
     * Lets time pass.
     *
     * @param until the time at which to stop
     * @param afterAction run after each action of the world
     * @return whether there is nothing left to happen
     */
    public boolean runUntil(long until, Runnable afterAction) {
        end = until;
        this.afterAction = afterAction;
        while (true) {
            Event next = events.peek();
            if (next == null || next.at > end) {
                now = Math.max(now, end);
                return next == null;
            }
            carryOut(events.remove());
            SimulatedThread thread = running;
            if (thread != null) {
                thread.baton.release();
                takeTurnBack();
            }
        }
    }

    private void takeTurnBack() {
        boolean interrupted = false;
        long before = turns.get();
        while (true) {
            try {
                if (driver.tryAcquire(stuckNanos, TimeUnit.NANOSECONDS)) {
                    break;
                }
                long after = turns.get();
                if (after == before) {
                    SimulatedThread stuck = running;
                    throw new StuckException("the thread " + stuck + " blocks where the scheduler does not see it: "
                            + (stuck == null ? "" : java.util.Arrays.toString(stuck.getStackTrace())));
                }
                before = after;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure != null) {
            throw new IllegalStateException("a thread of the simulation ended by " + failure, failure);
        }
    }
}
