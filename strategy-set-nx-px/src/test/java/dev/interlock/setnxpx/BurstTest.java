// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** More threads than there are connections. */
@Tag("deep")
@Isolated("needs the machine for itself")
class BurstTest {
    private static final int THREADS = 1_000;
    private static final int MOST_PAIRS = 40_000;
    private static final Duration LONGEST = Duration.ofSeconds(10);

    @Test
    void aThousandThreadsWaitForConnectionsInTurnAndNoneIsLeftOut() throws Exception {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger pairs = new AtomicInteger();
        AtomicInteger idle = new AtomicInteger(THREADS);
        CountDownLatch start = new CountDownLatch(1);
        try (RedisServer server = RedisServer.start();
                DistributedLockFactory factory =
                        DistributedLocks.getInstance("set-nx-px", LockConfig.of(server.uri()))) {
            Fixture.warmUp(factory);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                DistributedLock lock = factory.getLock("burst-" + i);
                Thread thread = new Thread(() -> {
                    try {
                        start.await();
                        long end = System.nanoTime() + LONGEST.toNanos();
                        for (boolean first = true;
                                first || (pairs.get() < MOST_PAIRS && System.nanoTime() - end < 0);
                                first = false) {
                            lock.lock();
                            lock.unlock();
                            pairs.incrementAndGet();
                            if (first) {
                                idle.decrementAndGet();
                            }
                        }
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            start.countDown();
            for (Thread thread : threads) {
                thread.join(TimeUnit.MINUTES.toMillis(5));
            }
        }
        assertThat(failures).as("failures among " + pairs + " pairs").isEmpty();
        assertThat(idle).as("threads that never had their lock").hasValue(0);
    }
}
