// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Measures the time of one lock and unlock after a client was idle for a while. The clients take turns, so that they do
 * not compete, and the machine is idle before each pair too.
 */
final class IdlePair extends Scenario {
    private static final int CLIENTS = 10;

    /** How often each client is idle. */
    private static final int TIMES = 2;

    private static final int DIGITS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Duration time;
    private final Duration idle;

    /**
     * Creates the scenario.
     *
     * @param time for how long all clients together are warmed up
     * @param idle for how long each of them is idle before a pair
     */
    IdlePair(Duration time, Duration idle) {
        super(
                "idle-pair",
                "The first pair of a client that was idle for " + idle.toMillis() + " ms",
                List.of(Metric.P50_MICROS, Metric.MAX_MICROS),
                Candidate::locksWithDefaultHandoffs);
        this.time = time;
        this.idle = idle;
    }

    @Override
    Figures measure(Testbed stage) {
        Histogram nanos = new ConcurrentHistogram(DIGITS);
        List<Callable<Void>> idlers = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Lock lock = stage.client(Terms.SHORT).lock("own-" + i);
            warmUp(lock, time.dividedBy(CLIENTS));
            Duration begin = idle.multipliedBy(i).dividedBy(CLIENTS);
            idlers.add(() -> idleAndPair(lock, begin, nanos));
        }
        run(idlers);
        return new Figures(
                Map.of(
                        Metric.P50_MICROS, nanos.getValueAtPercentile(50) / 1e3,
                        Metric.MAX_MICROS, nanos.getMaxValue() / 1e3),
                0);
    }

    private static void warmUp(Lock lock, Duration time) {
        long from = System.nanoTime();
        do {
            lock.lock();
            lock.unlock();
        } while (System.nanoTime() - from < time.toNanos());
    }

    private Void idleAndPair(Lock lock, Duration begin, Histogram nanos) {
        Pause.of(begin);
        // The first pair of this thread, which is not timed.
        lock.lock();
        lock.unlock();
        for (int i = 0; i < TIMES; i++) {
            Pause.of(idle);
            long from = System.nanoTime();
            lock.lock();
            lock.unlock();
            nanos.recordValue(System.nanoTime() - from);
        }
        return null;
    }

    private void run(List<Callable<Void>> idlers) {
        ExecutorService threads = Executors.newFixedThreadPool(
                CLIENTS, task -> Environment.system().newThread("idler", task));
        Duration limit = idle.multipliedBy(TIMES + 1L).plus(PATIENCE);
        try {
            for (Future<Void> idler : threads.invokeAll(idlers, limit.toMillis(), TimeUnit.MILLISECONDS)) {
                idler.get();
            }
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new ToolException(Messages.of(cause), cause);
        } catch (CancellationException e) {
            throw new ToolException("the pairs took longer than " + PATIENCE.toSeconds() + " seconds", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }
}
