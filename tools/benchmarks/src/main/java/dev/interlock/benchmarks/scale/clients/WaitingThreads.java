// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale.clients;

import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.figures.LostLocks;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.ToolException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** The threads of one client that wait for locks, on one name or on a name each. */
final class WaitingThreads {
    private static final long STACK_BYTES = 256 * 1024;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final LockClient client;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger lost = new AtomicInteger();
    private volatile long[] acquired = new long[0];
    private volatile @Nullable Throwable failure;

    WaitingThreads(LockClient client) {
        this.client = client;
    }

    ClientReply start(String prefix, int count, boolean oneName) {
        long[] times = new long[count];
        acquired = times;
        for (int i = 0; i < count; i++) {
            int index = i;
            Lock lock = client.lock(prefix + (oneName ? 0 : i));
            Thread thread = new Thread(null, () -> waitFor(lock, times, index), "waiter-" + i, STACK_BYTES);
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((failed, e) -> failure = e);
            threads.add(thread);
            thread.start();
        }
        return new ClientReply();
    }

    private void waitFor(Lock lock, long[] times, int index) {
        lock.lock();
        times[index] = System.nanoTime();
        lost.addAndGet(LostLocks.unlock(List.of(lock)));
    }

    /** Waits until all have had the lock, and returns when each got it. */
    ClientReply awaitAll() throws InterruptedException {
        long until = System.nanoTime() + PATIENCE_NANOS;
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
            if (thread.isAlive()) {
                throw new ToolException("a waiter did not get a lock that was released");
            }
        }
        Throwable found = failure;
        if (found != null) {
            throw new ToolException("a waiter failed: " + Messages.of(found), found);
        }
        return new ClientReply().put("acquired", acquired).put("lost", lost.get());
    }
}
