// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Owners whose thread class has an {@code interrupt()} of its own. Real threads. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForeignThreadTest {
    private static final String NAME = "foreign";

    private final Environment env = Environment.system();
    private final LockEngine engine = (LockEngine) LockEngine.newFactory(
            "memory",
            EngineTest.PROFILE,
            new InMemoryProtocol(env, new InMemoryServer(env)),
            LockConfig.builder()
                    .endpoints("redis://localhost")
                    .commandTimeout(Duration.ofMillis(500))
                    .lockDefaults(LockOptions.builder()
                            .lease(Duration.ofSeconds(1))
                            .renewal(false)
                            .interruptOnLoss(true)
                            .build())
                    .build(),
            env);

    /** Loads what an acquisition needs, so that a lease is not spent on that. */
    @BeforeEach
    void lockOnce() {
        DistributedLock lock = engine.getLock(
                "first", LockOptions.builder().lease(Duration.ofMinutes(1)).build());
        lock.lock();
        lock.unlock();
    }

    private static void await(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void unlockReturnsThoughTheInterruptBecauseOfTheLossBlocks() throws InterruptedException {
        Object mutex = new Object();
        CountDownLatch interrupting = new CountDownLatch(1);
        AtomicInteger losses = new AtomicInteger();
        Thread owner = new Thread("owner") {
            @Override
            public void run() {
                DistributedLock lock = engine.getLock(NAME);
                ShortLeases.locked(lock);
                synchronized (mutex) {
                    ForeignThreadTest.await(interrupting);
                    try {
                        lock.unlock();
                    } catch (LeaseLostException e) {
                        losses.incrementAndGet();
                    }
                }
            }

            @Override
            public void interrupt() {
                interrupting.countDown();
                synchronized (mutex) {
                    super.interrupt();
                }
            }
        };
        owner.start();
        owner.join();
        assertThat(losses).hasValue(1);
        engine.close();
    }

    @Test
    void whoLearnsOfTheLossFromEnsureValidIsNotInterruptedAsWell() throws InterruptedException {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger interrupts = new AtomicInteger();
        LockHandle other = ShortLeases.granted(engine.getLock("other")::acquire);
        other.onLoss(cause -> {
            busy.countDown();
            await(told);
        });
        await(busy);
        Thread owner = new Thread("owner") {
            @Override
            public void run() {
                Lease lease = ShortLeases.locked(engine.getLock(NAME));
                while (told.getCount() > 0) {
                    while (lease.isValid()) {
                        Thread.onSpinWait();
                    }
                    try {
                        // Extends the lease if the backend still keeps a lock that is no longer valid here.
                        lease.ensureValid(Duration.ofMillis(100));
                    } catch (LeaseLostException e) {
                        told.countDown();
                        ForeignThreadTest.await(done);
                    } catch (LockBackendException e) {
                        // The extension was granted, but came late; the loss is still to come.
                    }
                }
            }

            @Override
            public void interrupt() {
                interrupts.incrementAndGet();
                super.interrupt();
            }
        };
        owner.start();
        await(told);
        // Runs after the interrupt would.
        other.onLoss(cause -> done.countDown());
        owner.join();
        assertThat(interrupts).hasValue(0);
        engine.close();
    }
}
