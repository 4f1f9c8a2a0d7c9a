// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Measures what a slow server costs a lock over several: one thread locks and unlocks, in turns while all servers are
 * well and while one of them gets a tenth of a processor.
 */
final class ThrottledServer extends Scenario {
    private static final int TURNS = 3;

    /** Locks in turn, since servers may have different parts in different locks. */
    private static final int NAMES = 10;

    private static final Duration STOPS = Duration.ofMillis(225);
    private static final Duration RUNS = Duration.ofMillis(25);

    /** After a turn, the server catches up. */
    private static final Duration CATCHES_UP = Duration.ofMillis(200);

    private static final int DIGITS = 3;

    private final Duration time;

    /** @param time for how long it is measured in each state, and for half of that warmed up */
    ThrottledServer(Duration time) {
        super(
                "throttled-server",
                "1 thread: lock and unlock, while one of several servers gets a tenth of a processor",
                List.of(
                        Metric.PAIRS_PER_SECOND,
                        Metric.P50_MICROS,
                        Metric.P99_MICROS,
                        Metric.MAX_MICROS,
                        Metric.TIMES_HEALTHY),
                candidate -> candidate.locksWithDefaultHandoffs() && candidate.servers() > 1);
        this.time = time;
    }

    @Override
    Figures measure(Testbed stage) {
        LockClient client = stage.client(Terms.SHORT);
        List<Lock> locks =
                IntStream.range(0, NAMES).mapToObj(i -> client.lock("own-" + i)).toList();
        pairs(locks, time.dividedBy(2), new Histogram(DIGITS));
        Histogram healthy = new Histogram(DIGITS);
        Histogram throttled = new Histogram(DIGITS);
        long throttledNanos = 0;
        for (int i = 0; i < TURNS; i++) {
            pairs(locks, time.dividedBy(TURNS), healthy);
            try (Throttle throttle = new Throttle(stage.lastServer())) {
                throttle.begin();
                throttledNanos += pairs(locks, time.dividedBy(TURNS), throttled);
            }
            Pause.of(CATCHES_UP);
        }
        double median = throttled.getValueAtPercentile(50);
        return new Figures(
                Map.of(
                        Metric.PAIRS_PER_SECOND, throttled.getTotalCount() / (throttledNanos / 1e9),
                        Metric.P50_MICROS, median / 1e3,
                        Metric.P99_MICROS, throttled.getValueAtPercentile(99) / 1e3,
                        Metric.MAX_MICROS, throttled.getMaxValue() / 1e3,
                        Metric.TIMES_HEALTHY, median / healthy.getValueAtPercentile(50)),
                0);
    }

    /** Locks and unlocks for some time, and at least once. Returns how long that took, in nanoseconds. */
    private static long pairs(List<Lock> locks, Duration time, Histogram nanos) {
        long begin = System.nanoTime();
        int turn = 0;
        do {
            Lock lock = locks.get(turn++ % locks.size());
            long from = System.nanoTime();
            lock.lock();
            lock.unlock();
            nanos.recordValue(System.nanoTime() - from);
        } while (System.nanoTime() - begin < time.toNanos());
        return System.nanoTime() - begin;
    }

    /** Lets a server run for a tenth of the time. */
    private static final class Throttle implements AutoCloseable {
        private final RedisServer server;
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch over = new CountDownLatch(1);
        private final Thread thread;

        Throttle(RedisServer server) {
            this.server = server;
            thread = Environment.system().newThread("throttle", this::run);
        }

        /** Returns when the server stands still for the first time. */
        void begin() {
            thread.start();
            try {
                begun.await();
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        private void run() {
            try {
                boolean ends = false;
                while (!ends) {
                    server.pause();
                    begun.countDown();
                    ends = over.await(STOPS.toNanos(), TimeUnit.NANOSECONDS);
                    server.resume();
                    ends = ends || over.await(RUNS.toNanos(), TimeUnit.NANOSECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                begun.countDown();
                server.resume();
            }
        }

        @Override
        public void close() {
            over.countDown();
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        private static ToolException interrupted(InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ToolException("interrupted", e);
        }
    }
}
