// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.ThreadParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Measures the cost of the engine itself, over a backend that costs next to nothing. JMH creates the object and
 * generates a subclass.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {
    private static final int THREADS = 8;

    private final DistributedLockFactory factory =
            Memory.newFactory(LockConfig.builder().build());
    private final DistributedLock free = factory.getLock("free");
    private final DistributedLock wanted = factory.getLock("wanted");

    /** Creates the benchmark. */
    public EngineBenchmark() {}

    /** Ends the engine. */
    @TearDown
    public void close() {
        factory.close();
    }

    /** Acquires and releases an uncontended lock. */
    @Benchmark
    public void pair() {
        free.lock();
        free.unlock();
    }

    /** A thread and its uncontended lock. */
    @State(Scope.Thread)
    public static class Own {
        @SuppressWarnings("NullAway.Init") // By setUp, which the framework calls first.
        private DistributedLock lock;

        /** Creates the state. */
        public Own() {}

        /** Gives the thread a lock of its own. */
        @Setup
        public void setUp(EngineBenchmark benchmark, ThreadParams thread) {
            lock = benchmark.factory.getLock("own " + thread.getThreadIndex());
        }
    }

    /** Two threads acquire and release an uncontended lock each. */
    @Benchmark
    @Threads(2)
    public void pairsOfTwoThreads(Own own) {
        own.lock.lock();
        own.lock.unlock();
    }

    /** As {@link #pair}, with a re-entry in between. */
    @Benchmark
    public void pairWithReentry() {
        free.lock();
        free.lock();
        free.unlock();
        free.unlock();
    }

    /** Many threads acquire and release one lock. */
    @Benchmark
    @Threads(THREADS)
    public void contendedPair() {
        wanted.lock();
        wanted.unlock();
    }

    /**
     * Measures in a JVM of its own, which shows its progress on standard output, and ends with an exception if that
     * fails.
     */
    static void run(Duration time, int rounds) {
        TimeValue each = TimeValue.milliseconds(time.toMillis());
        try {
            new Runner(new OptionsBuilder()
                            .include(EngineBenchmark.class.getName())
                            .forks(1)
                            .warmupIterations(rounds)
                            .warmupTime(each)
                            .measurementIterations(rounds)
                            .measurementTime(each)
                            .addProfiler(GCProfiler.class)
                            .shouldFailOnError(true)
                            .build())
                    .run();
        } catch (RunnerException e) {
            throw new ToolException("the engine could not be measured: " + e.getMessage(), e);
        }
    }
}
