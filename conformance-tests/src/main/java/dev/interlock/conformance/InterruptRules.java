// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import org.junit.jupiter.api.Test;

/** Chapter 4 of the contract: interrupts. */
abstract class InterruptRules extends ReentryRules {
    InterruptRules() {}

    @Test
    public final void rule_4_1_lockIgnoresAnInterruptOnEntry() {
        DistributedLock lock = lock();
        Actor actor = actor("locker");
        actor.does("interrupt itself", () -> Thread.currentThread().interrupt());
        actor.does("lock()", lock::lock);
        assertTrue(actor.isInterrupted(), "the interrupt status should still be set");
        assertHeldBySomebody(lockOfAnotherClient());
    }

    @Test
    public final void rule_4_2_lockKeepsTheInterruptFlag() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        Actor waiter = actor("waiter");
        Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
        waiter.settle(waiting);
        waiter.interrupt();
        waiter.settle(waiting);
        holder.does("unlock()", lock::unlock);
        waiting.result();
        assertTrue(waiter.isInterrupted(), "the interrupt status should be set after lock()");
        waiter.does("unlock()", lock::unlock);
    }
}
