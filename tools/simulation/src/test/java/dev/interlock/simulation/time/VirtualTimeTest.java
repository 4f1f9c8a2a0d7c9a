// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.time;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A run in which a thread never gives its turn up ends all the same. */
class VirtualTimeTest {
    @Test
    void aThreadThatWaitsUnseenEndsTheRun() {
        VirtualTime time = new VirtualTime(1, Duration.ofMillis(50));
        VirtualMachine machine = new VirtualMachine("client", time, 1, 1);
        CountDownLatch never = new CountDownLatch(1);
        machine.newThread("waiter", () -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })
                .start();

        assertThatThrownBy(() -> time.runUntil(Duration.ofSeconds(1).toNanos(), () -> {}))
                .isInstanceOf(StuckException.class)
                .hasMessageContaining("waiter");
        never.countDown();
    }
}
