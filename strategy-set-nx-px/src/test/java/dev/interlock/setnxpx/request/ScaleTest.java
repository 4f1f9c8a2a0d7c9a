// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.setnxpx.OnChosenClients;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Many names and many threads. */
@Tag("deep")
@Isolated("looks at the heap")
class ScaleTest extends OnChosenClients {
    private static final int NAMES = 200_000;
    private static final int THREADS = 4;

    /** By how much the heap may grow: less than the smallest object that could be forgotten for each name. */
    private static final long SPARE_BYTES = 8L * NAMES;

    @Test
    void hundredsOfThousandsOfNamesLeaveNothingBehind() throws Exception {
        assumeTrue(client.equals("interlock"), "what a name leaves behind is the engine's doing, not the client's");
        DistributedLockFactory factory = redis.factory(config -> config.option("fencing", "false"));
        lockAndUnlock(factory, "warm", NAMES / 4);
        long before = usedHeap();
        lockAndUnlock(factory, "name", NAMES);
        assertThat(usedHeap() - before).isLessThan(SPARE_BYTES);
        assertThat(redis.server.command("DBSIZE")).isEqualTo(0L);
    }

    private static void lockAndUnlock(DistributedLockFactory factory, String prefix, int names) throws Exception {
        List<FutureTask<Object>> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int first = t;
            threads.add(Fixture.start(() -> {
                for (int i = first; i < names; i += THREADS) {
                    DistributedLock lock = factory.getLock(prefix + i);
                    lock.lock();
                    lock.unlock();
                }
                return null;
            }));
        }
        for (FutureTask<Object> thread : threads) {
            thread.get(1, TimeUnit.HOURS);
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void tenThousandVirtualThreadsOverAHundredNamesAllFinish() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with Java 21");
        Method newExecutor = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        DistributedLockFactory factory = redis.factory(config -> config.commandTimeout(Fixture.PATIENCE));
        int[] counters = new int[100];
        try (Executor executor = new Executor((ExecutorService) newExecutor.invoke(null))) {
            List<Future<Object>> tasks = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                int name = i % counters.length;
                tasks.add(executor.submit(() -> {
                    DistributedLock lock = factory.getLock("virtual-" + name);
                    lock.lock();
                    try {
                        counters[name]++;
                    } finally {
                        lock.unlock();
                    }
                    return null;
                }));
            }
            for (Future<Object> task : tasks) {
                task.get(1, TimeUnit.HOURS);
            }
        }
        assertThat(counters).containsOnly(100);
    }

    /** An executor that ends its threads when it is closed, as those of Java 19 and later do. */
    private record Executor(ExecutorService service) implements AutoCloseable {
        <T> Future<T> submit(Callable<T> task) {
            return service.submit(task);
        }

        @Override
        public void close() {
            service.shutdownNow();
        }
    }
}
