// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale.clients;

import dev.interlock.benchmarks.candidates.LockClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import org.HdrHistogram.Histogram;

/** A thread of a client that acquires and releases a lock as often as it can. */
final class PairLoop {
    private static final int DIGITS = 3;

    /** The longest history of one loop that is reported, in acquisitions. */
    private static final int MOST_EVENTS = 100_000;

    private final LockClient client;

    PairLoop(LockClient client) {
        this.client = client;
    }

    /** Runs for a time. Only if asked to, it also returns when the lock was acquired, and when its release began. */
    ClientReply run(String name, Duration time, boolean history) {
        Lock lock = client.lock(name);
        Histogram nanos = new Histogram(DIGITS);
        long[] acquired = new long[history ? MOST_EVENTS : 0];
        long[] released = new long[acquired.length];
        int events = 0;
        long pairs = 0;
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < time.toNanos()) {
            long from = System.nanoTime();
            lock.lock();
            long got = System.nanoTime();
            if (events < acquired.length) {
                acquired[events] = got;
                released[events++] = System.nanoTime();
            }
            lock.unlock();
            nanos.recordValue(got - from);
            pairs++;
        }
        return new ClientReply()
                .put("pairs", (double) pairs)
                .put("latencies", nanos)
                .put("acquired", Arrays.copyOf(acquired, events))
                .put("released", Arrays.copyOf(released, events));
    }
}
