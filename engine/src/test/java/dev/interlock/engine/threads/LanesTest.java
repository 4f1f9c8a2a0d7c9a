// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.environment.UserThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs on real threads. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LanesTest {
    private static Lanes lanes(ThreadFactory threads, int threadsPerLane) {
        return new Lanes(new UserThreads(Environment.system(), threads), "test", threadsPerLane);
    }

    private static void close(Lanes lanes) {
        Wait wait = Wait.uninterruptibly(Environment.system());
        lanes.close(wait, System.nanoTime() + TimeUnit.SECONDS.toNanos(30));
        wait.end();
    }

    @Test
    void noLaneWaitsForAnother() throws Exception {
        Lanes lanes = lanes(Thread::new, 1);
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        lanes.run("a", () -> awaitQuietly(stuck));
        lanes.run("b", ran::countDown);
        ran.await();
        stuck.countDown();
        close(lanes);
    }

    @Test
    void aJobThatCannotHaveAThreadOfItsOwnWaitsForTheOneThatThereIs() throws Exception {
        AtomicInteger made = new AtomicInteger();
        Lanes lanes = lanes(task -> made.getAndIncrement() == 0 ? new Thread(task) : null, 2);
        CountDownLatch stuck = new CountDownLatch(1);
        AtomicReference<Thread> first = new AtomicReference<>();
        AtomicReference<Thread> second = new AtomicReference<>();
        lanes.run("a", () -> {
            first.set(Thread.currentThread());
            awaitQuietly(stuck);
        });
        assertThat(lanes.run("a", () -> second.set(Thread.currentThread()))).isTrue();
        assertThat(second).hasValue(null);
        stuck.countDown();
        close(lanes);
        assertThat(second.get()).isNotNull().isSameAs(first.get());
    }

    @Test
    void aJobForWhichThereIsNoThreadRunsOnThatOfTheCaller() {
        Lanes lanes = lanes(task -> null, 2);
        List<Thread> ranOn = new ArrayList<>();
        assertThat(lanes.run("a", () -> {
                    throw new IllegalStateException("a job that fails");
                }))
                .isTrue();
        assertThat(lanes.run("a", () -> ranOn.add(Thread.currentThread()))).isTrue();
        assertThat(ranOn).containsExactly(Thread.currentThread());
        close(lanes);
    }

    @Test
    void aThreadFactoryMayUseTheLanes() {
        AtomicReference<Lanes> itself = new AtomicReference<>();
        CountDownLatch both = new CountDownLatch(2);
        AtomicInteger made = new AtomicInteger();
        Lanes lanes = lanes(
                task -> {
                    if (made.getAndIncrement() == 0) {
                        Thread other = new Thread(() -> itself.get().run("b", both::countDown));
                        other.start();
                        awaitQuietly(other);
                    }
                    return new Thread(task);
                },
                1);
        itself.set(lanes);
        lanes.run("a", both::countDown);
        awaitQuietly(both);
        close(lanes);
    }

    @Test
    void whatIsAskedAfterCloseDoesNotRun() {
        Lanes lanes = lanes(Thread::new, 1);
        close(lanes);
        AtomicInteger runs = new AtomicInteger();
        assertThat(lanes.run("a", runs::incrementAndGet)).isFalse();
        assertThat(runs).hasValue(0);
    }

    @Test
    void whatWasAskedBeforeCloseRuns() {
        Lanes lanes = lanes(Thread::new, 2);
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            lanes.run("lane " + i % 7, runs::incrementAndGet);
        }
        close(lanes);
        assertThat(runs).hasValue(100);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitQuietly(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
