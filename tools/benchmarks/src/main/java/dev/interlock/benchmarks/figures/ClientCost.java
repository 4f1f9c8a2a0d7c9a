// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** The processor time and memory of this JVM. They include those of the clients and of the benchmark itself. */
public final class ClientCost {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final int MOST_COLLECTIONS = 25;
    private static final Duration SETTLED = Duration.ofMillis(100);
    private static final double STABLE_BYTES = 50_000;

    private ClientCost() {}

    /** The processor time so far. */
    public static double cpuSeconds() {
        return SYSTEM.getProcessCpuTime() / 1e9;
    }

    /** Returns the used heap after several collections, also of the garbage of clients which end in the background. */
    public static double liveHeapBytes() {
        double last = Double.MAX_VALUE;
        double used = usedAfterCollection();
        for (int i = 1; i < MOST_COLLECTIONS && last - used > STABLE_BYTES; i++) {
            Pause.of(SETTLED);
            last = used;
            used = usedAfterCollection();
        }
        return used;
    }

    /** Returns the used heap after a single collection: several would stop renewals for longer than a lease. */
    public static double usedAfterCollection() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
