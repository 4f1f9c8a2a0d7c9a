// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.figures.ClientCost;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Guarded;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take locks as fast as they get them: first to warm up, then timed, then while commands are counted,
 * which slows the servers down.
 */
final class Workload {
    /** The phases of a measurement, in this order. */
    enum Phase {
        WARM_UP,
        TIMED,
        COUNTED,
        OVER
    }

    static final Function<Runnable, Thread> PLATFORM_THREADS =
            task -> Environment.system().newThread(Contender.THREAD_NAME, task);

    /** Makes platform threads where the JVM has no virtual ones. */
    static final Function<Runnable, Thread> VIRTUAL_THREADS =
            task -> Environment.system().newWaitingThread(Contender.THREAD_NAME, task);

    private static final int DIGITS = 3;
    private static final Duration LONGEST_COUNT = Duration.ofMillis(500);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(1);
    private static final Duration FIRST_LOCK_TIMEOUT = Duration.ofSeconds(30);

    /** How long to wait for threads that were told to end. */
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);

    private final Testbed testbed;
    private final boolean timesUnlock;
    private final Function<Runnable, Thread> threads;
    private final List<Contender> contenders = new ArrayList<>();
    private final Set<Guarded> guarded = new LinkedHashSet<>();
    private final Histogram nanos = new ConcurrentHistogram(DIGITS);
    private final LongAdder exceptions = new LongAdder();
    private final AtomicReference<@Nullable RuntimeException> firstException = new AtomicReference<>();
    private volatile Phase phase = Phase.WARM_UP;

    /**
     * Prepares a load.
     *
     * @param testbed the servers and clients to measure on
     * @param timesUnlock whether a recorded time includes {@code unlock()}, or {@code lock()} alone
     * @param threads makes the threads, not started, which do not keep the JVM alive
     */
    Workload(Testbed testbed, boolean timesUnlock, Function<Runnable, Thread> threads) {
        this.testbed = testbed;
        this.timesUnlock = timesUnlock;
        this.threads = threads;
    }

    /** Adds threads of one client, of which each has a lock of its own. */
    void addOwnNames(LockClient client, int threads) {
        for (int i = 0; i < threads; i++) {
            add(client.lock("own-" + i), new Guarded());
        }
    }

    /** Adds a thread. */
    void add(Lock lock, Guarded what) {
        guarded.add(what);
        contenders.add(new Contender(lock, what, this, threads));
    }

    Phase phase() {
        return phase;
    }

    void record(long from, long acquired, long released) {
        nanos.recordValue((timesUnlock ? released : acquired) - from);
    }

    /** Counts a call of a lock that ended with an exception, until commands are counted, which slows servers down. */
    void failed(RuntimeException exception) {
        if (phase.compareTo(Phase.COUNTED) < 0) {
            exceptions.increment();
            firstException.compareAndSet(null, exception);
        }
    }

    /** The counters and processor times at one moment. */
    private final class Reading {
        final long at = System.nanoTime();
        final double redisSeconds = testbed.cpuSeconds();
        final double clientSeconds = ClientCost.cpuSeconds();
        final long exceptionsSoFar = exceptions.sum();
        final long handOffs = guarded.stream().mapToLong(Guarded::handOffs).sum();
        final long[] each =
                contenders.stream().mapToLong(Contender::acquisitions).toArray();
    }

    /**
     * Runs the threads and ends them. Closes the clients if a thread does not end in time.
     *
     * @throws ToolException if one of them ends before its time, or none of them gets a lock for half a minute
     */
    Figures run(Duration time) {
        contenders.forEach(Contender::start);
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        try {
            work(time.dividedBy(2), this::acquisitions);
            phase = Phase.TIMED;
            Reading begin = new Reading();
            // One that was begun while the threads warmed up is not timed.
            work(time, nanos::getTotalCount);
            Reading end = new Reading();
            requireNoFailure();
            values.putAll(compare(begin, end));
            phase = Phase.COUNTED;
            values.put(Metric.COMMANDS, commands(time.dividedBy(4)));
            requireNoFailure();
        } finally {
            end();
        }
        values.put(Metric.P50_MICROS, nanos.getValueAtPercentile(50) / 1e3);
        values.put(Metric.P99_MICROS, nanos.getValueAtPercentile(99) / 1e3);
        long updates = guarded.stream().mapToLong(Guarded::value).sum();
        return new Figures(
                values,
                acquisitions() - updates,
                Optional.ofNullable(firstException.get()).map(Messages::of));
    }

    /**
     * Lets time pass, and more of it until at least one more lock was taken and counted; the first one may take long.
     */
    private void work(Duration time, LongSupplier count) {
        long before = count.getAsLong();
        long from = System.nanoTime();
        Pause.of(time);
        while (count.getAsLong() == before) {
            requireNoFailure();
            if (System.nanoTime() - from > time.plus(FIRST_LOCK_TIMEOUT).toNanos()) {
                throw noLock();
            }
            Pause.of(POLL_INTERVAL);
        }
    }

    private ToolException noLock() {
        String what = "no thread got a lock within " + FIRST_LOCK_TIMEOUT.toSeconds() + " seconds";
        RuntimeException exception = firstException.get();
        return exception == null
                ? new ToolException(what)
                : new ToolException(
                        what + ", and " + exceptions + " calls failed: " + Messages.of(exception), exception);
    }

    private Map<Metric, Double> compare(Reading begin, Reading end) {
        long most = 0;
        long least = Long.MAX_VALUE;
        long all = 0;
        for (int i = 0; i < contenders.size(); i++) {
            long acquisitions = end.each[i] - begin.each[i];
            most = Math.max(most, acquisitions);
            least = Math.min(least, acquisitions);
            all += acquisitions;
            if (acquisitions == 0) {
                // Without this, a thread that never acquired the lock would be in no percentile.
                nanos.recordValue(Math.max(0, end.at - contenders.get(i).waitsSince()));
            }
        }
        double seconds = (end.at - begin.at) / 1e9;
        double redisMicros = (end.redisSeconds - begin.redisSeconds) / all * 1e6;
        double clientMicros = (end.clientSeconds - begin.clientSeconds) / all * 1e6;
        return Map.of(
                Metric.PAIRS_PER_SECOND,
                all / seconds,
                Metric.ACQUIRED_PER_SECOND,
                all / seconds,
                Metric.HAND_OFFS_PER_SECOND,
                (end.handOffs - begin.handOffs) / seconds,
                Metric.MOST_TO_LEAST,
                (double) most / least,
                // Includes the warm-up, in which connections are opened.
                Metric.EXCEPTIONS,
                (double) end.exceptionsSoFar,
                Metric.REDIS_MICROS,
                redisMicros,
                Metric.CLIENT_MICROS,
                clientMicros,
                Metric.CPU_MICROS,
                redisMicros + clientMicros);
    }

    /** Counts until all threads have ended, so that no command is counted without its acquisition. */
    private double commands(Duration time) {
        long[] before = new long[1];
        long commands = testbed.commandsSent(() -> {
            before[0] = acquisitions();
            work(time.compareTo(LONGEST_COUNT) < 0 ? time : LONGEST_COUNT, this::acquisitions);
            phase = Phase.OVER;
            join();
        });
        return (double) commands / (acquisitions() - before[0]);
    }

    private long acquisitions() {
        return contenders.stream().mapToLong(Contender::acquisitions).sum();
    }

    private void requireNoFailure() {
        for (Contender contender : contenders) {
            Throwable failure = contender.failure();
            if (failure != null) {
                throw new ToolException(Messages.of(failure), failure);
            }
        }
    }

    /** Ends the threads. Closes the clients if some still wait for a lock. */
    private void end() {
        phase = Phase.OVER;
        if (!join()) {
            testbed.closeClients();
            join();
        }
    }

    private boolean join() {
        long until = System.nanoTime() + JOIN_TIMEOUT.toNanos();
        for (Contender contender : contenders) {
            try {
                contender.thread().join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            if (contender.thread().isAlive()) {
                return false;
            }
        }
        return true;
    }
}
