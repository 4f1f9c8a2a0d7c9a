// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Threads that each repeat a step until a time is over. */
final class WorkerThreads {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private WorkerThreads() {}

    /**
     * The work that was done.
     *
     * @param steps how many steps all threads took together
     * @param seconds how long they took, the last step of each included
     */
    record Work(long steps, double seconds) {
        double stepsPerSecond() {
            return steps / seconds;
        }
    }

    /**
     * Runs each step in a thread of its own, again and again, until the time is over.
     *
     * @throws ToolException if a step fails, or does not end within half a minute after the time
     */
    static Work run(List<? extends Runnable> steps, Duration time) {
        LongAdder taken = new LongAdder();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch start = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(steps.size());
        List<Thread> threads = new ArrayList<>();
        for (Runnable step : steps) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    long from = System.nanoTime();
                    while (System.nanoTime() - from < time.toNanos() && failure.get() == null) {
                        step.run();
                        taken.increment();
                    }
                } catch (InterruptedException | RuntimeException | Error e) {
                    failure.compareAndSet(null, e);
                } finally {
                    end.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        long from = System.nanoTime();
        start.countDown();
        boolean ended = await(end, time.plus(PATIENCE));
        double seconds = (System.nanoTime() - from) / 1e9;
        if (failure.get() != null) {
            throw new ToolException(Messages.of(failure.get()), failure.get());
        }
        if (!ended) {
            threads.forEach(Thread::interrupt);
            throw new ToolException(end.getCount() + " of " + steps.size() + " threads still wait "
                    + PATIENCE.toSeconds() + " seconds after the end");
        }
        return new Work(taken.sum(), seconds);
    }

    private static boolean await(CountDownLatch end, Duration limit) {
        try {
            return end.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }
}
