// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.ServerStatus;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.Majorities;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One node of five has a tenth of a processor, but always answers. Runs for two minutes, or for {@code
 * -Dinterlock.throttled.minutes}.
 */
@Tag("nightly")
class ThrottledNodeTest {
    private static final int THREADS = 4;
    private static final Duration HEALTHY = Duration.ofSeconds(5);
    private static final Duration THROTTLED = Duration.ofSeconds(15);
    private static final Duration STOPS = Duration.ofMillis(225);
    private static final Duration RUNS = Duration.ofMillis(25);

    /** The number of requests that a node is sent without an answer, and a few that are sent regardless. */
    private static final int MOST_UNANSWERED = 512 + 64;

    /**
     * As many releases as are kept for a node among its requests and behind them, and a few requests for which somebody
     * waits.
     */
    private static final int MOST_WAITING = 4_096 + 10_000 + 64;

    private static final long MOST_GROWTH = 64L << 20;

    private final Fixture redis = new Fixture(5);

    /** The measurements of one state of the node: for each thread, how many pairs took how many microseconds. */
    private static final class Slices {
        final int[][] micros = new int[THREADS][200_000];
        int unanswered;
        int waiting;
        long heap;

        static long pairs(int[] counts) {
            return IntStream.of(counts).asLongStream().sum();
        }

        /** The median of one thread, in microseconds. */
        int median(int thread) {
            long half = pairs(micros[thread]) / 2;
            int median = 0;
            for (long seen = 0; seen <= half; median++) {
                seen += micros[thread][median];
            }
            return median;
        }
    }

    @Test
    void costsTheOthersNextToNothingAndNoMemory() throws Exception {
        long minutes = Long.getLong("interlock.throttled.minutes", 2);
        int blocks = (int) (Duration.ofMinutes(minutes).toMillis()
                / HEALTHY.plus(THROTTLED).toMillis());
        try (redis) {
            DistributedLockFactory factory =
                    redis.factory(config -> Fixture.trusting(config).option("node-timeout", "auto"));
            redis.warmUp(factory);
            measure(factory, HEALTHY.multipliedBy(2), new Slices());
            long before = usedHeap();
            Slices healthy = new Slices();
            Slices throttled = new Slices();
            for (int i = 0; i < blocks; i++) {
                measure(factory, HEALTHY, healthy);
                throttle(redis.servers.get(4), () -> {
                    measure(factory, THROTTLED, throttled);
                    // Before the node catches up, so that what is kept for it counts.
                    throttled.heap = Math.max(throttled.heap, usedHeap());
                });
                // The node catches up, and takes part again.
                redis.warmUp(factory);
            }
            long growth = throttled.heap - before;
            long left = usedHeap() - before;

            for (int i = 0; i < THREADS; i++) {
                System.out.printf(
                        "%s: median healthy %d µs, throttled %d µs (%d and %d pairs)%n",
                        name(i),
                        healthy.median(i),
                        throttled.median(i),
                        Slices.pairs(healthy.micros[i]),
                        Slices.pairs(throttled.micros[i]));
            }
            System.out.printf(
                    "unanswered %d, waiting %d; heap %+d kB while throttled, %+d kB in the end%n",
                    throttled.unanswered, throttled.waiting, growth >> 10, left >> 10);
            for (int i = 0; i < THREADS; i++) {
                assertThat((double) throttled.median(i) / healthy.median(i))
                        .as("the median of %s", name(i))
                        .isLessThanOrEqualTo(1.2);
                // On a fast machine, most pairs are made in the moments in which the node runs.
                assertThat(mean(throttled, i, THROTTLED) / mean(healthy, i, HEALTHY))
                        .as("the mean of %s", name(i))
                        .isLessThanOrEqualTo(1.2);
            }
            assertThat(throttled.unanswered).isLessThanOrEqualTo(MOST_UNANSWERED);
            assertThat(throttled.waiting).isLessThanOrEqualTo(MOST_WAITING);
            assertThat(growth).as("what is kept for the node").isLessThan(MOST_GROWTH);
            assertThat(left).as("what is left when it has caught up").isLessThan(MOST_GROWTH);
        }
    }

    /** The time of a pair of one thread, in relation to others. */
    private static double mean(Slices slices, int thread, Duration time) {
        return (double) time.toMillis() / Slices.pairs(slices.micros[thread]);
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Lets a server run for a tenth of the time during an action. */
    private static void throttle(RedisServer server, Work work) throws Exception {
        FutureTask<Object> done = Fixture.start(() -> {
            work.run();
            return null;
        });
        while (!done.isDone()) {
            server.pause();
            TimeUnit.NANOSECONDS.sleep(STOPS.toNanos());
            server.resume();
            TimeUnit.NANOSECONDS.sleep(RUNS.toNanos());
        }
        done.get();
    }

    /** The name of the lock of a thread: the throttled node is the lead of the last one. */
    private static String name(int thread) {
        Majorities majorities =
                Configuration.founding(List.of("a", "b", "c", "d", "e")).majorities();
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "own-" + i)
                .filter(name -> Quorum.first(name, majorities, node -> true) == thread + 1)
                .findFirst()
                .orElseThrow();
    }

    /** Lets threads lock and unlock names of their own, and watches the last server meanwhile. */
    private static void measure(DistributedLockFactory factory, Duration time, Slices slices) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            DistributedLock lock = factory.getLock(name(i));
            int[] micros = slices.micros[i];
            threads.add(Fixture.start(() -> {
                pairs(lock, end, micros);
                return null;
            }));
        }
        while (System.nanoTime() < end) {
            ServerStatus last = factory.servers().get(4);
            slices.unanswered = Math.max(slices.unanswered, last.unanswered());
            slices.waiting = Math.max(slices.waiting, last.waiting());
            TimeUnit.MILLISECONDS.sleep(5);
        }
        for (FutureTask<Object> thread : threads) {
            thread.get();
        }
    }

    private static void pairs(DistributedLock lock, long end, int[] micros) {
        while (System.nanoTime() < end) {
            long began = System.nanoTime();
            lock.lock();
            lock.unlock();
            long took = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began);
            micros[(int) Math.min(took, micros.length - 1)]++;
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
