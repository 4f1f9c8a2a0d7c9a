// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.QuietLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs that may block for a server, on a few daemon threads for each lane. Jobs for one server share a lane, and
 * lanes do not wait for each other. Safe to use from any thread.
 */
public final class Lanes {
    private static final QuietLog LOG = QuietLog.of(Lanes.class);

    /** How long a thread without a job waits for the next one before it ends. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Environment env;
    private final String threadName;
    private final int threadsPerLane;
    private final Object lock = new Object();
    private final Map<String, Lane> lanes = new HashMap<>();
    private boolean closed;
    private @Nullable Thread closer;

    /** The jobs of one lane and the threads that run them; guarded by the lock. */
    private static final class Lane {
        final Queue<Runnable> jobs = new ArrayDeque<>();
        final Queue<Thread> idle = new ArrayDeque<>();
        int threads;
    }

    /**
     * @param threadsPerLane how many jobs of a lane may run at once, so that one without an answer does not delay all
     */
    public Lanes(Environment env, String threadName, int threadsPerLane) {
        this.env = env;
        this.threadName = threadName;
        this.threadsPerLane = threadsPerLane;
    }

    /**
     * Runs a job as soon as its lane has a thread for it, and returns at once. If the lane has no thread and none can
     * be started, the caller runs the jobs of the lane.
     *
     * @return {@code false} if the lanes are closed: the job does not run
     */
    public boolean run(String lane, Runnable job) {
        Thread woken;
        boolean starts;
        Lane of;
        synchronized (lock) {
            if (closed) {
                return false;
            }
            of = lanes.computeIfAbsent(lane, key -> new Lane());
            of.jobs.add(job);
            woken = of.idle.poll();
            starts = woken == null && of.threads < threadsPerLane;
            if (starts) {
                of.threads++;
            }
        }
        if (woken != null) {
            env.unpark(woken);
        } else if (starts) {
            start(lane, of);
        }
        return true;
    }

    /** Not under the lock, since the application may supply the threads. */
    private void start(String lane, Lane of) {
        try {
            env.newThread(threadName, () -> work(lane, of)).start();
        } catch (Throwable e) {
            List<Runnable> jobs = new ArrayList<>();
            synchronized (lock) {
                // If the lane has another thread, that one takes the jobs. Otherwise this thread has to run them.
                if (of.threads == 1) {
                    jobs.addAll(of.jobs);
                    of.jobs.clear();
                }
                end(lane, of);
            }
            LOG.log(System.Logger.Level.ERROR, "a thread " + threadName + " could not be started", e);
            jobs.forEach(this::runGuarded);
        }
    }

    private void work(String lane, Lane of) {
        for (Runnable job = next(lane, of); job != null; job = next(lane, of)) {
            // Clears the interrupt status, which means nothing here: protocols are called without it.
            Thread.interrupted();
            runGuarded(job);
        }
    }

    private void runGuarded(Runnable job) {
        try {
            job.run();
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, threadName + " failed", e);
        }
    }

    /** Returns the next job, or {@code null} when the thread is to end. */
    @SuppressWarnings("ReferenceEquality") // Compared by identity: a subclass of Thread may override equals().
    private @Nullable Runnable next(String lane, Lane of) {
        long until = env.nanoTime() + LINGER_NANOS;
        Thread self = Thread.currentThread();
        while (true) {
            long left = until - env.nanoTime();
            synchronized (lock) {
                of.idle.removeIf(thread -> thread == self);
                Runnable job = of.jobs.poll();
                if (job != null) {
                    return job;
                }
                if (closed || left <= 0) {
                    end(lane, of);
                    return null;
                }
                of.idle.add(self);
            }
            Thread.interrupted();
            env.park(this, left);
        }
    }

    private void end(String lane, Lane of) {
        if (--of.threads == 0) {
            lanes.remove(lane);
        }
        if (closer != null) {
            env.unpark(closer);
        }
    }

    /**
     * Accepts no more jobs, and waits until the present ones have run and the threads have ended. Called by one thread.
     *
     * @param untilNanos when to stop waiting, on the monotonic clock; jobs that have not begun by then do not run
     */
    public void close(Wait wait, long untilNanos) {
        synchronized (lock) {
            closed = true;
            closer = Thread.currentThread();
            lanes.values().forEach(lane -> lane.idle.forEach(env::unpark));
        }
        for (long left = untilNanos - env.nanoTime(); !isEmpty() && left > 0; left = untilNanos - env.nanoTime()) {
            wait.park(this, left);
        }
        synchronized (lock) {
            lanes.values().forEach(lane -> lane.jobs.clear());
        }
    }

    private boolean isEmpty() {
        synchronized (lock) {
            return lanes.values().stream().allMatch(lane -> lane.threads == 0);
        }
    }
}
