// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale.clients;

import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.figures.LostLocks;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * The locks that one client holds, each on a name of its own. A few threads share them, since a lock belongs to its
 * thread.
 */
final class HeldNames {
    private static final int THREADS = 16;
    private static final int DIGITS = 3;

    private final LockClient client;
    private final List<Holder> holders = new ArrayList<>();
    private int size;

    HeldNames(LockClient client) {
        this.client = client;
    }

    /** A thread and the locks that it holds, of which it has each {@code THREADS}-th name. */
    private record Holder(ExecutorService thread, List<Lock> locks) {}

    ClientReply acquire(String prefix, int count) throws InterruptedException {
        size = count;
        Histogram nanos = new ConcurrentHistogram(DIGITS);
        for (int i = 0; i < THREADS; i++) {
            holders.add(new Holder(Executors.newSingleThreadExecutor(), new ArrayList<>()));
        }
        List<Future<Object>> all = new ArrayList<>();
        for (int first = 0; first < THREADS; first++) {
            Holder holder = holders.get(first);
            int from = first;
            all.add(submit(holder, () -> {
                for (int i = from; i < count; i += THREADS) {
                    long begun = System.nanoTime();
                    Lock lock = client.lock(prefix + i);
                    lock.lock();
                    nanos.recordValue(System.nanoTime() - begun);
                    holder.locks().add(lock);
                }
                return from;
            }));
        }
        for (Future<Object> each : all) {
            get(each);
        }
        return new ClientReply().put("latencies", nanos);
    }

    /**
     * Releases all locks. With a gap, releases one after the other in the order of their names, and reports the time of
     * each call.
     */
    ClientReply release(Duration gap) throws InterruptedException {
        long[] times = new long[gap.isZero() ? 0 : size];
        List<Future<Object>> all = new ArrayList<>();
        for (int i = 0; i < times.length; i++) {
            Holder holder = holders.get(i % THREADS);
            Lock lock = holder.locks().get(i / THREADS);
            int index = i;
            get(submit(holder, () -> {
                times[index] = System.nanoTime();
                return LostLocks.unlock(Collections.singletonList(lock));
            }));
            Pause.of(gap);
        }
        int lost = 0;
        if (gap.isZero()) {
            for (Holder holder : holders) {
                all.add(submit(holder, () -> LostLocks.unlock(holder.locks())));
            }
            for (Future<Object> each : all) {
                lost += (Integer) get(each);
            }
        }
        holders.forEach(holder -> holder.thread().shutdown());
        holders.clear();
        return new ClientReply().put("lost", lost).put("released", times);
    }

    private static Future<Object> submit(Holder holder, Callable<Object> work) {
        return holder.thread().submit(work);
    }

    private static Object get(Future<Object> result) throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw new ToolException("a lock could not be acquired: " + e.getCause(), e);
        }
    }
}
