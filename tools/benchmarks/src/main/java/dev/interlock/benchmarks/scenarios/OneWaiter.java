// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;

/** Counts the commands of two clients while a thread of one waits for a lock that the other holds and renews. */
final class OneWaiter extends Scenario {
    private static final Duration SETTLED = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String NAME = "wanted";

    private final Duration settled;
    private final Duration watched;

    /**
     * Creates the scenario.
     *
     * @param settled for how long the lock is held before the other client comes, so that the holder has opened all
     *     connections that it needs
     * @param watched for how long the waiter is watched
     */
    OneWaiter(Duration settled, Duration watched) {
        super(
                "one-waiter",
                "1 thread waits for " + watched.toSeconds() + " s for a lock that another client holds",
                List.of(Metric.COMMANDS_PER_SECOND, Metric.HOLDER_COMMANDS_PER_SECOND),
                Candidate::holds);
        this.settled = settled;
        this.watched = watched;
    }

    @Override
    Figures measure(Testbed stage) {
        Lock held = stage.client(Terms.HELD).lock(NAME);
        held.lock();
        Pause.of(settled);
        List<Set<String>> holders = stage.clientAddresses();
        Thread waiter = waiter(stage.client(Terms.HELD).lock(NAME));
        waiter.start();
        try {
            Pause.of(watched.compareTo(SETTLED) < 0 ? watched : SETTLED);
            List<Map<String, Long>> sent = stage.commandsByClient(() -> Pause.of(watched));
            if (!waiter.isAlive()) {
                throw new ToolException("the waiter got the lock that another client held, or failed");
            }
            return figures(holders, sent);
        } finally {
            held.unlock();
            join(waiter);
        }
    }

    private static Thread waiter(Lock lock) {
        Thread waiter = Environment.system().newThread("waiter", () -> {
            lock.lock();
            lock.unlock();
        });
        // A thread whose client is closed while it waits fails, as it should.
        waiter.setUncaughtExceptionHandler((thread, failure) -> {});
        return waiter;
    }

    /** A connection that the holder did not have before counts as the waiter's. */
    private Figures figures(List<Set<String>> holders, List<Map<String, Long>> sent) {
        long ofHolder = 0;
        long ofWaiter = 0;
        for (int i = 0; i < sent.size(); i++) {
            for (Map.Entry<String, Long> client : sent.get(i).entrySet()) {
                if (holders.get(i).contains(client.getKey())) {
                    ofHolder += client.getValue();
                } else {
                    ofWaiter += client.getValue();
                }
            }
        }
        double seconds = watched.toNanos() / 1e9;
        return new Figures(
                Map.of(
                        Metric.COMMANDS_PER_SECOND, ofWaiter / seconds,
                        Metric.HOLDER_COMMANDS_PER_SECOND, ofHolder / seconds),
                0);
    }

    private static void join(Thread waiter) {
        try {
            waiter.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }
}
