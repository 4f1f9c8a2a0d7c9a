// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static dev.interlock.conformance.internal.actor.PendingStage.WAYS;
import static dev.interlock.conformance.internal.actor.Waits.always;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.PendingStage.Way;
import dev.interlock.conformance.internal.actor.Scale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapter 8 of the contract, continued: acquisitions whose callers do not wait. */
abstract class AsyncRules extends WaitingRules {
    private static final Duration SOON = Scale.millis(500);

    /** A while in which a stage that does not wait would be done. */
    static final Duration A_WHILE = Scale.millis(50);

    AsyncRules() {}

    @Test
    @Tag("chapter-8")
    public final void rule_8_25_aStageCompletesWithAHandleOfNoThread() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        Actor caller = actor("caller");
        for (Way way : WAYS) {
            LockHandle handle = way.by(caller, lock).handle();
            assertEquals(name(), handle.lockName(), "lockName() of the handle");
            assertHoldsNoneByQueries(caller, lock);
            assertHoldsNothing(caller, lock);
            assertFalse(triesToLock(caller, lock), "tryLock() of what a handle holds, by the caller");
            assertHeldBySomebody(other);
            assertTrue(handle.isValid(), "the handle should be valid until it is closed");
            actor("closer").does("close()", handle::close);
            assertFree(other);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_26_aStageWaitsForTheLockAndItsCallerDoesNot() {
        DistributedLock lock = lock();
        for (DistributedLock asked : List.of(lock, lockOfAnotherClient())) {
            for (Way way : WAYS) {
                Actor holder = holderOf(lock);
                PendingStage stage = way.by(actor("caller"), asked);
                always("a stage should wait while somebody else holds the lock", A_WHILE, () -> !stage.isDone());
                holder.does("unlock()", lock::unlock);
                actor("closer").does("close()", stage.handle()::close);
            }
        }
        assertFree(lock);
    }

    @Test
    @Tag("chapter-8")
    @Needs(faults = Fault.PAUSE)
    public final void rule_8_27_theCallerOfAStageDoesNotWaitForTheBackend() {
        // The backend answers before the time-out, but not before the test has seen that the calls have returned.
        DistributedLockFactory client =
                connected(newFactory(config -> config.commandTimeout(Scale.PATIENCE.multipliedBy(4))));
        List<PendingStage> stages = new ArrayList<>();
        faults().inject(Fault.PAUSE);
        for (Way way : WAYS) {
            stages.add(way.by(actor("caller"), client.getLock(name(way.what()))));
        }
        for (PendingStage stage : stages) {
            assertFalse(stage.isDone(), () -> stage + " is done though nobody has answered");
        }
        faults().heal();
        for (PendingStage stage : stages) {
            actor("closer").does("close()", stage.handle()::close);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_28_theHolderGetsAHandleAfterItsUnlock() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        for (Way way : WAYS) {
            holder.does("lock()", lock::lock);
            PendingStage stage = way.by(holder, lock);
            always("a stage should wait while its caller holds the lock", A_WHILE, () -> !stage.isDone());
            holder.does("unlock()", lock::unlock);
            LockHandle handle = stage.handle();
            assertHoldsNoneByQueries(holder, lock);
            holder.does("close()", handle::close);
        }
        assertFree(lock);
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_29_aStageTellsItsCallerOfNoLoss() {
        connected(factory());
        Map<Way, Loser> losers = new LinkedHashMap<>();
        WAYS.forEach(way -> losers.put(way, loser(actor("caller"), way.what())));
        losers.forEach((way, loser) -> {
            loser.awaitLoss();
            DistributedLock lock = factory().getLock(loser.lock.name());
            LockHandle handle = way.by(loser.thread, lock).handle();
            loser.thread.does("close()", handle::close);
            loser.isTold("unlock() after an asynchronous acquisition", DistributedLock::unlock);
        });
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_30_anInterruptOfTheCallerDoesNotEndAStage() {
        DistributedLock lock = lock();
        for (Way way : WAYS) {
            Actor holder = holderOf(lock);
            Actor caller = actor("caller");
            caller.interrupt();
            PendingStage stage = way.by(caller, lock);
            assertTrue(caller.isInterrupted(), "the interrupt status should still be set");
            caller.interrupt();
            always("an interrupt of the caller should not end a stage", A_WHILE, () -> !stage.isDone());
            holder.does("unlock()", lock::unlock);
            caller.does("close()", stage.handle()::close);
        }
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_31_aTimedStageEndsEmptyWithItsTime() {
        DistributedLock lock = lock();
        DistributedLock other = lockOfAnotherClient();
        holderOf(lock);
        Actor ahead = actor("ahead in the queue");
        ahead.settle(ahead.beginTo("lock()", other::lock));
        Actor caller = actor("caller");
        for (DistributedLock asked : List.of(lock, other, lockOfAnotherClient())) {
            for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
                assertOnceWithin(SOON, "a stage of " + none, () -> emptyAfter(none, caller, asked));
            }
            assertAtLeast(WAIT, "the time of a stage", emptyAfter(WAIT, caller, asked));
        }
    }

    private static Duration emptyAfter(Duration wait, Actor caller, DistributedLock asked) {
        long start = System.nanoTime();
        PendingStage.timed(wait).by(caller, asked).assertEmpty();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @Tag("chapter-8")
    public final void rule_8_32_aTimedStageGetsALockThatIsFreeInTime() {
        DistributedLock lock = lock();
        Actor caller = actor("caller");
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE), Scale.PATIENCE, longest)) {
            LockHandle handle =
                    PendingStage.timed(wait).by(caller, lockOfAnotherClient()).handle();
            caller.does("close()", handle::close);
        }
        for (Duration wait : List.of(Scale.PATIENCE, longest)) {
            Actor holder = holderOf(lock);
            PendingStage stage = PendingStage.timed(wait).by(caller, lockOfAnotherClient());
            pass(A_WHILE);
            holder.does("unlock()", lock::unlock);
            caller.does("close()", stage.handle()::close);
        }
    }

    @Test
    @Tag("chapter-8")
    @SuppressWarnings({"NullAway", "DataFlowIssue"})
    public final void rule_8_33_aMissingTimeIsRefusedAndGivesNoStage() {
        DistributedLock lock = lock();
        actor("caller")
                .begin("tryAcquireAsync(null)", () -> lock.tryAcquireAsync(null))
                .failure(NullPointerException.class);
        assertFree(lockOfAnotherClient());
    }
}
