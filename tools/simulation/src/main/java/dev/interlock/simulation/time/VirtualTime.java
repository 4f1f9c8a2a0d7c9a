// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.time;

import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler of a simulation: a queue of events on a virtual clock. An event is an action of the world, or the turn
 * of a thread. One thread runs at a time, and only gives its turn up where it waits, so that the seed decides the order
 * of everything.
 *
 * <p>Only the thread that has the turn uses the state.
 */
public final class VirtualTime {
    /** How long a thread may run without waiting before the simulation is taken to be stuck, in real time. */
    private static final long STUCK_SECONDS = 60;

    /** A thread that is woken goes on within this time. */
    private static final int WAKE_NANOS = 50_000;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Random random;
    private final Semaphore driver = new Semaphore(0);
    private long now;

    /** The time at which the present run stops. */
    private long end;

    private long order;
    private int threads;
    private @Nullable SimulatedThread running;
    private @Nullable Throwable failure;

    /** An event at a time: an action, or the turn of a thread that has not been woken otherwise since. */
    private record Event(
            long at,
            long order,
            @Nullable Runnable action,
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
        random = new Random(seed);
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
     * Plans an action.
     *
     * @param at the time, in nanoseconds since the simulation began
     * @param action what happens then; must not wait
     */
    public void at(long at, Runnable action) {
        events.add(new Event(Math.max(at, now), order++, action, null, 0));
    }

    /**
     * Plans an action.
     *
     * @param nanos how long from now, in nanoseconds
     * @param action what happens then; must not wait
     */
    public void in(long nanos, Runnable action) {
        at(now + nanos, action);
    }

    /** Gives a thread a turn at a time, unless it is woken otherwise before. */
    void turn(SimulatedThread thread, long at) {
        events.add(new Event(Math.max(at, now), order++, null, thread, thread.wait));
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
        Event next = events.peek();
        if (next != null && next.thread != null && next.at <= end && isDue(next)) {
            events.poll();
            now = Math.max(now, next.at);
            running = next.thread;
            if (next.thread == thread) {
                return;
            }
            next.thread.baton.release();
        } else {
            running = null;
            driver.release();
        }
        thread.baton.acquireUninterruptibly();
    }

    private static boolean isDue(Event event) {
        SimulatedThread thread = event.thread;
        return thread == null || (thread.wait == event.turn && thread.machine.isRunning());
    }

    /** A thread has ended. */
    void ended(@Nullable Throwable thrown) {
        if (thrown != null && failure == null) {
            failure = thrown;
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
        while (true) {
            Event next = events.peek();
            if (next == null || next.at > end) {
                now = Math.max(now, end);
                return next == null;
            }
            events.poll();
            SimulatedThread thread = next.thread;
            if (thread == null) {
                now = Math.max(now, next.at);
                Runnable action = next.action;
                if (action != null) {
                    action.run();
                }
                afterAction.run();
            } else if (thread.wait == next.turn) {
                if (thread.machine.isRunning()) {
                    now = Math.max(now, next.at);
                    running = thread;
                    thread.baton.release();
                    takeTurnBack();
                } else {
                    thread.machine.keep(thread);
                }
            }
        }
    }

    private void takeTurnBack() {
        boolean back = false;
        boolean interrupted = false;
        while (!back) {
            try {
                if (!driver.tryAcquire(STUCK_SECONDS, TimeUnit.SECONDS)) {
                    SimulatedThread stuck = running;
                    throw new IllegalStateException(
                            "the thread " + stuck + " blocks where the scheduler does not see it: "
                                    + (stuck == null ? "" : java.util.Arrays.toString(stuck.getStackTrace())));
                }
                back = true;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw new IllegalStateException("a thread of the simulation ended by " + failure, failure);
        }
    }
}
