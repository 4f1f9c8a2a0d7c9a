// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.benchmarks.figures.ClientCost;
import dev.interlock.benchmarks.figures.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures what many held locks cost the engine alone: memory, renewal and the closing of the factory. */
final class HeldByEngine {
    private static final int LOCKS = 100_000;
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final int LEASES = 2;
    private static final int RENEWALS_PER_LEASE = 3;

    private HeldByEngine() {}

    /** Measures, and returns the figures as a line of text. */
    static String measure() {
        DistributedLockFactory factory = Memory.newFactory(LockConfig.builder()
                .lockDefaults(LockOptions.builder().lease(LEASE).build())
                .build());
        DistributedLock first = factory.getLock("first");
        first.lock();
        first.unlock();
        List<DistributedLock> locks = new ArrayList<>(LOCKS);
        double heapBefore = ClientCost.liveHeapBytes();
        for (int i = 0; i < LOCKS; i++) {
            DistributedLock lock = factory.getLock("held-" + i);
            lock.lock();
            locks.add(lock);
        }
        double heap = ClientCost.liveHeapBytes() - heapBefore;
        double cpuBefore = ClientCost.cpuSeconds();
        Pause.of(LEASE.multipliedBy(LEASES));
        double cpu = ClientCost.cpuSeconds() - cpuBefore;
        long held =
                locks.stream().filter(DistributedLock::isHeldByCurrentThread).count();
        long start = System.nanoTime();
        factory.close();
        Duration close = Duration.ofNanos(System.nanoTime() - start);
        return String.format(
                Locale.ROOT,
                "%,d locks of the engine, each held by its own: %.0f B of heap a lock, the application's reference and the entry of"
                        + " the backend in memory included; %.2f us of processor time a lock and renewal; %,d still held after"
                        + " %d leases; released at close() in %,d ms",
                LOCKS,
                heap / LOCKS,
                cpu * 1e6 / LOCKS / LEASES / RENEWALS_PER_LEASE,
                held,
                LEASES,
                close.toMillis());
    }
}
