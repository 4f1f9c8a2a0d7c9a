// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.environment.UserThreads;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actions on real threads. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NoticesTest {
    private static Notices notices(ThreadFactory threads) {
        return new Notices(new UserThreads(Environment.system(), threads), "test");
    }

    @Test
    void aThreadFactoryThatBlocksHoldsUpNobodyElse() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(2);
        Notices notices = notices(task -> {
            entered.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new Thread(task);
        });
        Thread first = new Thread(() -> notices.add(ran::countDown));
        first.start();
        entered.await();
        notices.add(ran::countDown);
        leave.countDown();
        ran.await();
        first.join();
    }

    @Test
    void anActionForWhichThereIsNoThreadRunsWithTheNextOne() throws Exception {
        AtomicInteger made = new AtomicInteger();
        List<Integer> order = new CopyOnWriteArrayList<>();
        CountDownLatch ran = new CountDownLatch(2);
        Notices notices = notices(task -> made.getAndIncrement() == 0 ? null : new Thread(task));
        notices.add(() -> {
            order.add(1);
            ran.countDown();
        });
        assertThat(order).isEmpty();
        notices.add(() -> {
            order.add(2);
            ran.countDown();
        });
        ran.await();
        assertThat(order).containsExactly(1, 2);
    }
}
