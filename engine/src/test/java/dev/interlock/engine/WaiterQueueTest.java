// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockOptions;
import org.junit.jupiter.api.Test;

/** The threads that wait in a cell. */
class WaiterQueueTest {
    private final Waiter.Queue waiters = new Waiter.Queue();
    private final Waiter waiter = new Waiter(Thread.currentThread(), true, LockOptions.defaults());

    @Test
    void whoeverHasLeftOrNeverCameCannotBeTakenOut() {
        assertThat(waiters.remove(waiter)).isFalse();
        waiters.add(waiter);
        assertThat(waiters.remove(waiter)).isTrue();
        assertThat(waiters.remove(waiter)).isFalse();
        assertThat(waiters.size()).isZero();
    }
}
