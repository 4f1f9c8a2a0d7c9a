// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What this JVM uses, which is the client side of all that is measured, the driver included. */
final class ClientCost {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final int COLLECTIONS = 3;

    private ClientCost() {}

    /** The processor time so far. */
    static double cpuSeconds() {
        return SYSTEM.getProcessCpuTime() / 1e9;
    }

    /** What is left on the heap when the garbage is gone. */
    static double liveHeapBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
