// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Terms;
import dev.interlock.benchmarks.figures.ClientCost;
import dev.interlock.benchmarks.figures.Figures;
import dev.interlock.benchmarks.figures.LostLocks;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/** One thread holds many locks for three leases. Measures the cost of their renewal, and whether they are kept. */
final class HeldLocks extends Scenario {
    /** The number of renewals in a lease, of ours and of all other candidates. */
    private static final int PERIODS_PER_LEASE = 3;

    private final int size;
    private final Duration lease;

    HeldLocks(String name, int size, Duration lease) {
        super(
                name,
                String.format(Locale.ROOT, "%,d locks held over three leases of %d ms", size, lease.toMillis()),
                List.of(
                        Metric.CLIENT_SECONDS,
                        Metric.RENEWAL_COMMANDS,
                        Metric.HEAP_BYTES,
                        Metric.LOCKS_LOST,
                        Metric.LEFT_BEHIND),
                Candidate::holds);
        this.size = size;
        this.lease = lease;
    }

    @Override
    Figures measure(Testbed stage) {
        LockClient client = stage.client(Terms.held(lease));
        // The first lock makes the client create what it creates once.
        Lock first = client.lock("first");
        first.lock();
        first.unlock();
        double heapBefore = ClientCost.liveHeapBytes();
        List<Lock> locks = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Lock lock = client.lock("held-" + i);
            lock.lock();
            locks.add(lock);
        }
        long keysWhileHeld = stage.keys();
        double clientBefore = ClientCost.cpuSeconds();
        Pause.of(lease.multipliedBy(2));
        double clientSeconds = ClientCost.cpuSeconds() - clientBefore;
        double commands = renewalCommands(stage);
        double heap = ClientCost.usedAfterCollection() - heapBefore;
        int lost = LostLocks.unlock(locks);
        long left = stage.keys() - (keysWhileHeld - size);
        return new Figures(
                Map.of(
                        Metric.CLIENT_SECONDS,
                        clientSeconds,
                        Metric.RENEWAL_COMMANDS,
                        commands / size / PERIODS_PER_LEASE,
                        Metric.HEAP_BYTES,
                        heap / size,
                        Metric.LOCKS_LOST,
                        (double) lost,
                        Metric.LEFT_BEHIND,
                        (double) Math.max(0, left)),
                0);
    }

    /**
     * Returns how many commands renew the locks within a lease: scripts, or if there are none, all. Without MONITOR,
     * which shows what scripts run as well: a server that has to do so is too slow for as many locks, which are lost.
     */
    private double renewalCommands(Testbed stage) {
        double scripts = stage.scriptsRun();
        double all = stage.commandsCarriedOut();
        Pause.of(lease);
        scripts = stage.scriptsRun() - scripts;
        all = stage.commandsCarriedOut() - all;
        return scripts > 0 ? scripts : all;
    }
}
