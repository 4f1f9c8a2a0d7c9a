// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static dev.interlock.conformance.internal.actor.PendingStage.WAYS;
import static dev.interlock.conformance.internal.actor.Waits.eventually;
import static dev.interlock.conformance.internal.actor.Waits.pass;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.conformance.internal.actor.Actor;
import dev.interlock.conformance.internal.actor.PendingStage;
import dev.interlock.conformance.internal.actor.PendingStage.Way;
import dev.interlock.conformance.internal.actor.Scale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chapters 9 and 11 of the contract, continued: how asynchronous acquisitions fail. */
abstract class AsyncFailureRules extends LifecycleRules {
    AsyncFailureRules() {}

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_31_aStageFailsWhenTheBackendCannotBeReached() {
        DistributedLock lock = lock();
        faults().inject(Fault.PARTITION);
        List<Way> ways = new ArrayList<>(WAYS);
        ways.add(PendingStage.timed(Duration.ZERO));
        Actor caller = actor("caller");
        ways.forEach(way -> way.by(caller, lock).failure(LockBackendException.class));
        faults().heal();
        eventually("the lock object works after the outage", () -> isFreeIfAnybodyAnswers(lock));
    }

    @Test
    @Tag("chapter-9")
    @Needs(faults = Fault.PARTITION)
    public final void rule_9_32_aWaitingStageFailsInAnOutageLongerThanItsLease() {
        DistributedLock lock = lock();
        Actor holder = actor("holder");
        holder.does("lock()", lock::lock);
        List<PendingStage> stages = new ArrayList<>();
        for (Way way : WAYS) {
            DistributedLockFactory client = newFactory(config -> config.waitCeiling(Scale.millis(100)));
            reconnect(client);
            stages.add(way.by(actor("caller"), client.getLock(name(), lease(Scale.SHORT_LEASE))));
        }
        pass(Scale.millis(200));
        for (PendingStage stage : stages) {
            assertFalse(stage.isDone(), () -> stage + " should wait while somebody else holds the lock");
        }
        faults().inject(Fault.PARTITION);
        stages.forEach(stage -> stage.failure(LockBackendException.class));
    }

    @Test
    @Tag("chapter-11")
    public final void rule_11_20_closeFailsStages() {
        closingInTime(again -> {
            DistributedLock held = factory().getLock(name(again + " a"));
            Actor holder = actor("holder");
            holder.does("lock()", held::lock);
            DistributedLockFactory client = newFactory();
            DistributedLock heldHere = client.getLock(name(again + " b"));
            actor("holder of the client").does("lock()", heldHere::lock);
            List<PendingStage> stages = new ArrayList<>();
            for (DistributedLock asked : List.of(client.getLock(name(again + " a")), heldHere)) {
                WAYS.forEach(way -> stages.add(way.by(actor("caller"), asked)));
            }
            pass(Scale.millis(50));
            close(client);
            stages.forEach(stage -> stage.failure(IllegalStateException.class));
            Actor late = actor("late caller");
            WAYS.forEach(way -> way.by(late, heldHere).failure(IllegalStateException.class));
            assertHeld(holder, held);
            holder.does("unlock()", held::unlock);
            assertFree(newFactory().getLock(name(again + " a")));
            assertFree(factory().getLock(name(again + " b")));
        });
    }
}
