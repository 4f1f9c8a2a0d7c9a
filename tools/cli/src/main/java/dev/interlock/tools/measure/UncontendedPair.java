// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Times an uncontended lock and unlock by one thread. */
public final class UncontendedPair implements Measurement<UncontendedPair.Result> {
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final List<Double> PERCENTILES = List.of(1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0);

    private final Effort effort;

    public UncontendedPair(Effort effort) {
        this.effort = effort;
    }

    /**
     * The cost of a pair.
     *
     * @param pairs how many were timed
     * @param p50Millis the median time, in milliseconds
     * @param p99Millis the time that 99 of 100 do not exceed, in milliseconds
     * @param pairsPerSecond the rate
     * @param commandsPerPair how many commands a pair needs
     * @param latencies the distribution of the times
     */
    public record Result(
            long pairs,
            double p50Millis,
            double p99Millis,
            double pairsPerSecond,
            double commandsPerPair,
            List<Latency> latencies) {}

    /**
     * A point of a distribution.
     *
     * @param percentile how many of 100 do not exceed the time
     * @param millis the time, in milliseconds
     */
    public record Latency(double percentile, double millis) {}

    @Override
    public String title() {
        return "uncontended pair";
    }

    @Override
    public Result measure(MeasuredStrategy subject) {
        try (DistributedLockFactory factory = subject.open()) {
            DistributedLock lock = factory.getLock(MeasuredStrategy.newName("pair"));
            repeat(lock, effort.warmUp());
            Histogram nanos = new Histogram(DIGITS);
            WorkerThreads.Work work = WorkerThreads.run(
                    List.of(() -> {
                        long from = System.nanoTime();
                        pair(lock);
                        nanos.recordValue(System.nanoTime() - from);
                    }),
                    effort.uncontended());
            long commands = subject.backend().commands(() -> {
                for (int i = 0; i < effort.countedPairs(); i++) {
                    pair(lock);
                }
            });
            return new Result(
                    work.steps(),
                    nanos.getValueAtPercentile(50) / NANOS_PER_MILLI,
                    nanos.getValueAtPercentile(99) / NANOS_PER_MILLI,
                    work.stepsPerSecond(),
                    (double) commands / effort.countedPairs(),
                    PERCENTILES.stream()
                            .map(percentile ->
                                    new Latency(percentile, nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI))
                            .toList());
        }
    }

    private static void repeat(DistributedLock lock, Duration time) {
        WorkerThreads.run(List.of(() -> pair(lock)), time);
    }

    /** Takes the lock and gives it back; nothing that could fail comes between. */
    @SuppressWarnings("LockNotBeforeTry")
    public static void pair(DistributedLock lock) {
        lock.lock();
        lock.unlock();
    }
}
