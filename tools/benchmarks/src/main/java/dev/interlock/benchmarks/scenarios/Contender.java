// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.figures.Guarded;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A thread that takes a lock and gives it up again and again, as long as the load goes on. */
final class Contender {
    static final String THREAD_NAME = "contender";

    private final Lock lock;
    private final Guarded guarded;
    private final Workload load;
    private final Thread thread;
    private final AtomicLong acquisitions = new AtomicLong();
    private volatile long waitsSince;
    private volatile @Nullable Throwable failure;

    /**
     * Creates a contender.
     *
     * @param threads makes a thread, not started, that does not keep the JVM alive
     */
    Contender(Lock lock, Guarded guarded, Workload load, Function<Runnable, Thread> threads) {
        this.lock = lock;
        this.guarded = guarded;
        this.load = load;
        thread = threads.apply(this::run);
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread;
    }

    long acquisitions() {
        return acquisitions.get();
    }

    /** Returns since when it has waited for the lock that it holds or will get next. */
    long waitsSince() {
        return waitsSince;
    }

    /** Returns the failure that ended the thread early; an exception of the lock does not end it. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    private void run() {
        try {
            for (Workload.Phase phase = load.phase(); phase != Workload.Phase.OVER; phase = load.phase()) {
                tryStep(phase);
            }
        } catch (Error e) {
            failure = e;
        }
    }

    private void tryStep(Workload.Phase phase) {
        try {
            step(phase);
        } catch (RuntimeException e) {
            load.failed(e);
        }
    }

    private void step(Workload.Phase phase) {
        long from = System.nanoTime();
        waitsSince = from;
        lock.lock();
        long acquired = System.nanoTime();
        try {
            guarded.add(phase == Workload.Phase.WARM_UP);
            acquisitions.lazySet(acquisitions.get() + 1);
        } finally {
            lock.unlock();
        }
        if (phase == Workload.Phase.TIMED) {
            load.record(from, acquired, System.nanoTime());
        }
    }
}
