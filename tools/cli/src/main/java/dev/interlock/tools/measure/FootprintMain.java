// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import com.google.gson.Gson;
import com.sun.management.ThreadMXBean;
import dev.interlock.testservers.ParentJvm;
import dev.interlock.tools.backends.ChildProgram;
import dev.interlock.tools.peers.BareLocks;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The program of the process in which a {@link Footprint} is measured: it has one client and nothing else, so that what
 * changes in its heap is the client's.
 */
public final class FootprintMain {
    /** The heap has settled when so many collections in a row find no more garbage than {@link #LITTLE}. */
    private static final int COLLECTIONS = 4;

    private static final int MOST_COLLECTIONS = 60;
    private static final long LITTLE = 1_024;

    private static final int FEW = 3;

    /** References and timers of the client free objects in their own time. */
    private static final int BETWEEN_COLLECTIONS_MILLIS = 200;

    /** Options of its JVM: with this collector, the size of the heap after a collection is that of the live objects. */
    static final List<String> JVM_OPTIONS = List.of("-XX:+UseSerialGC");

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final BareLocks locks;
    private final Object pairLock;
    private final int pairs;
    private final Object[] held;

    private FootprintMain(BareLocks locks, Footprint.Task task) {
        this.locks = locks;
        pairLock = locks.bareLock(MeasuredStrategy.newName("memory"));
        pairs = task.pairs();
        held = new Object[task.held()];
    }

    /**
     * Runs the process.
     *
     * @param args none
     */
    public static void main(String[] args) {
        ChildProgram.runAndExit(FootprintMain::work);
    }

    private static void work() throws Exception {
        ParentJvm parent = ParentJvm.ofThisProcess();
        Footprint.Task task = new Gson().fromJson(parent.nextLine(), Footprint.Task.class);
        BlockingQueue<String> steps = new LinkedBlockingQueue<>();
        parent.follow(steps::add);
        try (BareLocks locks = MeasuredStrategy.openBare(task.strategy(), task.options(), task.endpoints())) {
            FootprintMain process = new FootprintMain(locks, task);
            for (Footprint.Step step = next(steps); step != Footprint.Step.END; step = next(steps)) {
                parent.say(Long.toString(process.take(step)));
            }
        }
    }

    private static Footprint.Step next(BlockingQueue<String> steps) throws InterruptedException {
        return Footprint.Step.valueOf(steps.take());
    }

    private long take(Footprint.Step step) throws InterruptedException {
        return switch (step) {
            case USE -> use(FEW);
            case PAIRS -> allocatedByPairs();
            case HOLD -> hold();
            case HEAP -> liveHeap();
            case RELEASE -> release();
            case END -> throw new AssertionError(step);
        };
    }

    private long allocatedByPairs() {
        long before = allocated();
        use(pairs);
        return allocated() - before;
    }

    private long use(int times) {
        for (int i = 0; i < times; i++) {
            locks.releaseBare(locks.acquireBare(pairLock));
        }
        return times;
    }

    /** What all threads have allocated, those that have ended aside. */
    private static long allocated() {
        return Arrays.stream(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    /** Locks of new names, since some libraries keep what they know of a name. */
    private long hold() {
        for (int i = 0; i < held.length; i++) {
            held[i] = locks.acquireBare(locks.bareLock(MeasuredStrategy.newName("held")));
        }
        return held.length;
    }

    private long release() {
        List<Object> last = Arrays.asList(held);
        Collections.reverse(last);
        last.forEach(locks::releaseBare);
        Arrays.fill(held, null);
        return held.length;
    }

    /** Collects garbage until there is none, and returns the size of what is left. */
    private static long liveHeap() throws InterruptedException {
        long size = usedAfterCollection();
        int inVain = 0;
        for (int i = 1; i < MOST_COLLECTIONS && inVain < COLLECTIONS; i++) {
            Thread.sleep(BETWEEN_COLLECTIONS_MILLIS);
            long next = usedAfterCollection();
            inVain = next < size - LITTLE ? 0 : inVain + 1;
            size = Math.min(size, next);
        }
        return size;
    }

    private static long usedAfterCollection() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
