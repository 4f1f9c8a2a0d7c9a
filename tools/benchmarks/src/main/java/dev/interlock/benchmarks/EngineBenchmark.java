// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.LockEngine;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** What the engine itself costs, over a backend that costs next to nothing. Made by JMH, which extends it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {
    private static final int THREADS = 8;

    private final DistributedLockFactory factory = LockEngine.newFactory(
            "memory",
            new StrategyProfile("In memory", EnumSet.of(Capability.REENTRANT), EnumSet.noneOf(Assumption.class)),
            new Memory(),
            LockConfig.builder().build(),
            Environment.system());
    private final DistributedLock free = factory.getLock("free");
    private final DistributedLock wanted = factory.getLock("wanted");

    /** Creates the benchmark. */
    public EngineBenchmark() {}

    /** Ends the engine. */
    @TearDown
    public void close() {
        factory.close();
    }

    /** A lock that nobody else wants. */
    @Benchmark
    public void pair() {
        free.lock();
        free.unlock();
    }

    /** The same, and held twice meanwhile. */
    @Benchmark
    public void pairWithReentry() {
        free.lock();
        free.lock();
        free.unlock();
        free.unlock();
    }

    /** A lock that many threads want. */
    @Benchmark
    @Threads(THREADS)
    public void contendedPair() {
        wanted.lock();
        wanted.unlock();
    }

    /** Measures in a JVM of its own, which shows its progress on standard output, and ends with an exception if that fails. */
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

    /** A backend whose leases do not end by themselves. */
    private static final class Memory implements LeaseProtocol {
        private final ConcurrentMap<String, String> holders = new ConcurrentHashMap<>();
        private final ConcurrentMap<String, Collection<Runnable>> listeners = new ConcurrentHashMap<>();

        @Override
        public Attempt attempt(Claim claim) {
            String holder = holders.putIfAbsent(claim.name(), claim.token());
            return holder == null || holder.equals(claim.token())
                    ? new Attempt.Granted(claim.lease(), OptionalLong.empty())
                    : new Attempt.Refused(Optional.empty());
        }

        @Override
        public List<Renewal> renew(List<Claim> claims) {
            return claims.stream()
                    .<Renewal>map(claim -> new Renewal.Renewed(claim.lease()))
                    .toList();
        }

        @Override
        public Release release(Claim claim) {
            holders.remove(claim.name(), claim.token());
            listeners.getOrDefault(claim.name(), List.of()).forEach(Runnable::run);
            return new Release.Freed(true);
        }

        @Override
        public boolean isLocked(String name) {
            return holders.containsKey(name);
        }

        @Override
        public Watch watch(String name, Runnable onFreed) {
            Collection<Runnable> ofThisName = listeners.computeIfAbsent(name, key -> new ConcurrentLinkedQueue<>());
            ofThisName.add(onFreed);
            onFreed.run();
            return () -> ofThisName.remove(onFreed);
        }

        @Override
        public void close() {}
    }
}
