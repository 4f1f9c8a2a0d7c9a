// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.Pending;
import dev.interlock.conformance.internal.actor.Scale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapters 4 to 11 of the contract, continued: {@code isLocked()} and {@code tryAcquire()}, which ask the backend once. */
abstract class SingleRequestRules extends ViewRules {
    SingleRequestRules() {}

    @Test
    @Tag("chapter-4")
    public final void rule_4_25_isLockedIgnoresAnInterrupt() {
        DistributedLock lock = lock();
        Actor observer = actor("observer");
        observer.interrupt();
        assertEquals(false, observer.call("isLocked()", lock::isLocked), "isLocked() by an interrupted thread");
        assertTrue(observer.isInterrupted(), "the interrupt status should still be set");
        holderOf(lock);
        assertEquals(true, observer.call("isLocked()", lock::isLocked), "isLocked() by an interrupted thread");
        assertTrue(observer.isInterrupted(), "the interrupt status should still be set");
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_41_tryAcquireDoesNotOvertakeThoseWhoWait() {
        DistributedLock lock = lock();
        Actor holder = holderOf(lock);
        Actor waiter = actor("waiter");
        Pending<?> waiting = waiter.beginTo("lock()", lock::lock);
        waiter.settle(waiting);
        assertFalse(
                holder.call("unlock() and tryAcquire()", () -> {
                    lock.unlock();
                    return lock.tryAcquire().isPresent();
                }),
                "tryAcquire() overtook a thread of the same client that waited for the lock");
        waiting.result();
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_33_tryAcquireThrowsWhenTheBackendCannotBeReached() {
        DistributedLock lock = lock();
        faults().inject(Fault.PARTITION);
        actor("locker")
                .begin("tryAcquire() in an outage", () -> lock.tryAcquire())
                .failure(LockBackendException.class);
        faults().heal();
        eventually("the lock is free after the outage", () -> isFreeIfAnybodyAnswers(lock));
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PAUSE)
    public final void rule_9_34_isLockedEndsThoughNobodyAnswers() {
        DistributedLockFactory client = newFactory(config -> config.commandTimeout(Scale.millis(500)));
        reconnect(client);
        DistributedLock lock = client.getLock(name());
        faults().inject(Fault.PAUSE);
        actor("observer")
                .begin("isLocked() that nobody answers", lock::isLocked)
                .failure(LockBackendException.class);
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.RESTART_WITH_DATA)
    public final void rule_9_35_aRestartThatIsOverCostsNoException() {
        DistributedLock lock = lock();
        reconnect(factory());
        Actor actor = actor("locker");
        faults().inject(Fault.RESTART_WITH_DATA);
        assertEquals(true, actor.call("tryLock() after a restart", lock::tryLock), "tryLock() of a free lock");
        actor.does("unlock()", lock::unlock);
        faults().inject(Fault.RESTART_WITH_DATA);
        actor.does("lock() after a restart", lock::lock);
        actor.does("unlock()", lock::unlock);
        faults().inject(Fault.RESTART_WITH_DATA);
        assertEquals(false, actor.call("isLocked() after a restart", lock::isLocked), "isLocked() of a free lock");
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_21_whatAsksOnceFailsAfterClose() {
        DistributedLockFactory client = newFactory();
        DistributedLock lock = client.getLock(name());
        Actor actor = actor("late");
        actor.does("close()", client::close);
        actor.begin("isLocked() after close()", lock::isLocked).failure(IllegalStateException.class);
        actor.begin("tryAcquire() after close()", () -> lock.tryAcquire()).failure(IllegalStateException.class);
        assertFree(lock());
    }
}
