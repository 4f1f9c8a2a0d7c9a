// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.time;

import java.util.concurrent.Semaphore;

/** A thread that runs only when it has the turn. */
public final class SimulatedThread extends Thread {
    final Semaphore baton = new Semaphore(0);
    final VirtualMachine machine;

    /** Counts the waits, so that the planned end of an earlier wait has no effect on a later one. */
    long wait;

    boolean parked;

    /** Whether the next wait ends at once. */
    boolean permit;

    private final VirtualTime time;
    private final int number;
    private boolean begun;

    SimulatedThread(VirtualMachine machine, VirtualTime time, int number, String name, Runnable task) {
        super(null, task, name, 0, false);
        this.machine = machine;
        this.time = time;
        this.number = number;
        setDaemon(true);
    }

    static SimulatedThread current() {
        if (Thread.currentThread() instanceof SimulatedThread thread) {
            return thread;
        }
        throw new IllegalStateException(
                "only threads of the simulation can wait in it, and " + Thread.currentThread() + " is none");
    }

    @Override
    public synchronized void start() {
        begun = true;
        time.wake(this);
        super.start();
    }

    @Override
    public void run() {
        baton.acquireUninterruptibly();
        Throwable thrown = null;
        try {
            super.run();
        } catch (RuntimeException | Error e) {
            thrown = e;
        } finally {
            time.ended(thrown);
        }
    }

    @Override
    public void interrupt() {
        boolean news = !isInterrupted();
        super.interrupt();
        if (news && begun && parked) {
            time.wake(this);
        }
    }

    /** The same in each run of a seed, so that maps whose keys are threads have the same order. */
    @Override
    public int hashCode() {
        return number;
    }

    /** The same in each run of a seed, since the engine draws numbers by it. */
    @Override
    public long getId() {
        return number;
    }
}
