// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.time;

import dev.interlock.engine.environment.Environment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** A process of the simulation: its clocks, its threads, and whether it runs, stands still or is dead. */
public final class VirtualMachine implements Environment {
    /** The wall clock of all machines when a simulation begins, in ms since the epoch. */
    public static final long EPOCH_MILLIS = 1_750_000_000_000L;

    private final String name;
    private final VirtualTime time;
    private final Random random;
    private final double rate;

    /**
     * The threads whose turn came while the process stood still. A set, since a thread that is woken twice gets one
     * turn.
     */
    private final Set<SimulatedThread> kept = new LinkedHashSet<>();

    /** The actions that have come while the process stood still. */
    private final List<Runnable> postponed = new ArrayList<>();

    private long steppedMillis;
    private long suspendedNanos;
    private boolean running = true;

    /**
     * Creates a process.
     *
     * @param name its name
     * @param time the clock of the world
     * @param seed decides what its random numbers are
     * @param rate how fast its clocks run: 1 as the world's
     */
    public VirtualMachine(String name, VirtualTime time, long seed, double rate) {
        this.name = name;
        this.time = time;
        this.random = new Random(seed);
        this.rate = rate;
    }

    /**
     * Returns its name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    boolean isRunning() {
        return running;
    }

    /** Keeps a thread whose turn has come while the process stands still. */
    void keep(SimulatedThread thread) {
        kept.add(thread);
    }

    /** Makes all threads stand still, while the clocks go on. */
    public void stop() {
        running = false;
    }

    /** Lets the threads go on. */
    public void go() {
        running = true;
        for (SimulatedThread thread : kept) {
            time.turn(thread, time.now() + random.nextInt(20_000));
        }
        kept.clear();
        if (!postponed.isEmpty()) {
            List<Runnable> due = List.copyOf(postponed);
            postponed.clear();
            time.callIn(random.nextInt(20_000), () -> due.forEach(this::run));
        }
    }

    /**
     * Runs an action of the process: at once, or when it goes on if it stands still.
     *
     * @param action must not wait
     */
    public void run(Runnable action) {
        if (running) {
            action.run();
        } else {
            postponed.add(action);
        }
    }

    /**
     * Sets the wall clock forward or back.
     *
     * @param millis by how much
     */
    public void stepWallClock(long millis) {
        steppedMillis += millis;
    }

    /**
     * Notes that the machine was suspended: its monotonic clock stood still meanwhile.
     *
     * @param nanos for how long
     */
    public void suspended(long nanos) {
        suspendedNanos += nanos;
    }

    private long elapsed() {
        return (long) (time.now() * rate);
    }

    @Override
    public long nanoTime() {
        time.look();
        return elapsed() - suspendedNanos;
    }

    @Override
    public long currentTimeMillis() {
        time.look();
        return EPOCH_MILLIS + steppedMillis + Math.floorDiv(elapsed(), 1_000_000L);
    }

    /**
     * Returns the wall clock.
     *
     * @return µs since the epoch
     */
    public long micros() {
        return (EPOCH_MILLIS + steppedMillis) * 1000 + Math.floorDiv(elapsed(), 1000L);
    }

    @Override
    public void park(Object blocker, long nanos) {
        SimulatedThread thread = SimulatedThread.current();
        if (thread.permit) {
            thread.permit = false;
            return;
        }
        if (thread.isInterrupted() || nanos <= 0) {
            return;
        }
        thread.wait++;
        thread.parked = true;
        if (nanos != Long.MAX_VALUE) {
            time.turn(thread, time.now() + (long) (nanos / rate) + 1);
        }
        time.await(thread);
        thread.parked = false;
    }

    /**
     * Makes the current thread stand still. Neither unparking nor interrupting it ends this.
     *
     * @param nanos for how long
     */
    public void sleep(long nanos) {
        SimulatedThread thread = SimulatedThread.current();
        thread.wait++;
        time.turn(thread, time.now() + nanos);
        time.await(thread);
    }

    @Override
    public void unpark(Thread thread) {
        if (!(thread instanceof SimulatedThread sleeper)) {
            LockSupport.unpark(thread);
        } else if (sleeper.parked) {
            time.wake(sleeper);
        } else {
            sleeper.permit = true;
        }
    }

    @Override
    public Thread newThread(String threadName, Runnable task) {
        return new SimulatedThread(this, time, time.nextThread(), name + "/" + threadName, task);
    }

    @Override
    public long nextLong(long bound) {
        return Math.floorMod(random.nextLong(), bound);
    }

    @Override
    public String newToken() {
        return Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong());
    }
}
