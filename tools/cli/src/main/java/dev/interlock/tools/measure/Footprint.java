// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import com.sun.management.ThreadMXBean;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Measures the memory that locks take: of the client, of the servers, and what a pair of lock and unlock allocates. */
public final class Footprint implements Measurement<Footprint.Result> {
    private static final int HELD = 200;
    private static final int WARM_UP = 200;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final int pairs;

    public Footprint(Effort effort) {
        pairs = effort.countedPairs();
    }

    /**
     * The memory of locks.
     *
     * @param held how many locks were held at once
     * @param heapBytesPerLock what each of them takes of the client's heap, once garbage is collected
     * @param serverBytesPerLock what each of them takes of the servers; missing where other clients may use them
     * @param allocatedBytesPerPair what all threads of the client allocate for a lock and unlock that nobody else wants
     */
    public record Result(
            int held, double heapBytesPerLock, @Nullable Double serverBytesPerLock, double allocatedBytesPerPair) {}

    @Override
    public String title() {
        return "memory";
    }

    @Override
    @SuppressWarnings("LockNotBeforeTry") // All locks are unlocked together in the end.
    public Result measure(MeasuredStrategy subject) {
        try (DistributedLockFactory factory = subject.open()) {
            DistributedLock lock = factory.getLock(MeasuredStrategy.newName("memory"));
            repeat(lock, WARM_UP);
            long allocatedBefore = allocated();
            repeat(lock, pairs);
            double allocated = (double) (allocated() - allocatedBefore) / pairs;
            OptionalLong serverBefore = subject.backend().usedMemory();
            double heapBefore = heap();
            List<DistributedLock> held = new ArrayList<>();
            try {
                for (int i = 0; i < HELD; i++) {
                    DistributedLock next = factory.getLock(MeasuredStrategy.newName("held"));
                    next.lock();
                    held.add(next);
                }
                double heap = (heap() - heapBefore) / HELD;
                OptionalLong serverAfter = subject.backend().usedMemory();
                return new Result(
                        HELD,
                        Math.max(0, heap),
                        serverBefore.isPresent() && serverAfter.isPresent()
                                ? Double.valueOf((double) (serverAfter.getAsLong() - serverBefore.getAsLong()) / HELD)
                                : null,
                        allocated);
            } finally {
                Collections.reverse(held);
                held.forEach(DistributedLock::unlock);
            }
        }
    }

    private static void repeat(DistributedLock lock, int times) {
        for (int i = 0; i < times; i++) {
            UncontendedPair.pair(lock);
        }
    }

    private static double heap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long allocated() {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}
