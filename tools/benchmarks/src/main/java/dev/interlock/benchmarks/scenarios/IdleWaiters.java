// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.Pause;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** Measures the cost of threads of one client that wait for a lock that another client keeps. */
final class IdleWaiters extends Scenario {
    private static final Duration SETTLED = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final String NAME = "wanted";

    private final Sizes scale;

    IdleWaiters(Sizes scale) {
        super(
                "idle-waiters",
                scale.waiters() + " threads of one client wait for a lock that another client holds",
                Rates.METRICS,
                Candidate::locksWithDefaultHandoffs);
        this.scale = scale;
    }

    @Override
    Figures measure(Testbed stage) {
        Lock held = stage.client(Terms.HELD).lock(NAME);
        held.lock();
        List<Thread> waiters = waiters(stage.client(Terms.HELD).lock(NAME));
        try {
            waiters.forEach(Thread::start);
            Pause.of(scale.time().compareTo(SETTLED) < 0 ? scale.time() : SETTLED);
            Figures found = new Figures(Rates.during(stage, scale.time()), 0);
            if (!waiters.stream().allMatch(Thread::isAlive)) {
                throw new ToolException("a waiter got the lock that another client held, or failed");
            }
            return found;
        } finally {
            held.unlock();
            drain(waiters);
        }
    }

    private List<Thread> waiters(Lock lock) {
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < scale.waiters(); i++) {
            Thread waiter = new Thread(
                    () -> {
                        lock.lock();
                        lock.unlock();
                    },
                    "waiter");
            waiter.setDaemon(true);
            // A thread whose client is closed while it waits fails, as it should.
            waiter.setUncaughtExceptionHandler((thread, failure) -> {});
            waiters.add(waiter);
        }
        return waiters;
    }

    /** Lets waiters have the lock for a while, so that few are left when their client is closed. */
    private static void drain(List<Thread> waiters) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (waiters.stream().anyMatch(Thread::isAlive) && System.nanoTime() - until < 0) {
            Pause.of(LOOK);
        }
    }
}
