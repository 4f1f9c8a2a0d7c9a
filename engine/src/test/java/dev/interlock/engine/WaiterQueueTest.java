// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockOptions;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.threads.Waiter;
import org.junit.jupiter.api.Test;

/** The threads that wait in a cell. */
class WaiterQueueTest {
    private final Waiter.Queue<Hold> waiters = new Waiter.Queue<>();
    private final Waiter<Hold> waiter = new Waiter<>(Thread.currentThread(), true, LockOptions.defaults(), false);

    @Test
    void whoeverHasLeftOrNeverCameCannotBeTakenOut() {
        assertThat(waiters.remove(waiter)).isFalse();
        waiters.add(waiter);
        assertThat(waiters.remove(waiter)).isTrue();
        assertThat(waiters.remove(waiter)).isFalse();
        assertThat(waiters.size()).isZero();
    }

    @Test
    void whoeverGivesWayStandsBeforeAllOthers() {
        Claim granted = new Claim(
                "name",
                "token",
                LockOptions.defaults().lease(),
                LockOptions.defaults().lease(),
                1);
        waiters.add(waiter);
        Waiter<Hold> signalled = new Waiter<>(Thread.currentThread(), true, LockOptions.defaults(), false);
        signalled.place = granted;
        waiters.add(signalled);
        Waiter<Hold> asking = new Waiter<>(Thread.currentThread(), true, LockOptions.defaults(), false);

        assertThat(waiters.giveWay(asking, claim -> false)).isNull();
        assertThat(waiters.first()).isSameAs(waiter);
        assertThat(waiters.giveWay(asking, claim -> claim == granted)).isSameAs(signalled);
        assertThat(signalled.state).isEqualTo(Waiter.State.CONTENDER);
        assertThat(waiters.all(any -> true)).containsExactly(asking, waiter);
        assertThat(waiters.first()).isSameAs(asking);
        assertThat(waiters.size()).isEqualTo(2);
        assertThat(waiters.remove(asking)).isTrue();
        assertThat(waiters.first()).isSameAs(waiter);
    }
}
