// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.plan.Step;
import java.util.concurrent.locks.Condition;

/** Takes a lock, signals a condition, and gives the lock back. */
final class SignalRun extends TaskRun<Step.Signal> {
    SignalRun(SimulatedClient client, Step.Signal signal, String who, DistributedLock lock) {
        super(client, signal, who, lock);
    }

    @Override
    void perform() {
        lock.lock();
        Lease lease = lock.lease().orElse(null);
        Judge.Held held = note(lease);
        try {
            Condition condition = condition(task.condition());
            if (task.all()) {
                condition.signalAll();
            } else {
                condition.signal();
            }
            world.note(
                    who, "has signalled " + (task.all() ? "all of " : "") + "condition \"" + task.condition() + "\"");
            // Without the lock, others may have begun to wait behind the signal.
            if (lease != null && lease.isValid()) {
                client.signals.sent(task.lock(), task.condition(), who, task.all());
            }
            keeps();
            client.pass(task.holdNanos());
        } finally {
            giveBack(held, lock::unlock);
        }
    }
}
