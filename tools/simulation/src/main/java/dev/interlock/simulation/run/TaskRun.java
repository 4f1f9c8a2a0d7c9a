// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.plan.Step;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A task as a thread of a client does it: takes a lock, and gives it back.
 *
 * @param <T> the kind of task
 */
abstract class TaskRun<T extends Step.Task> {
    /**
     * A waiter for a condition looks after 1.5 s at the earliest, and takes a holder for dead that it has seen twice. A
     * shorter hold may be seen so only if two follow each other within a client.
     */
    private static final long SEEN_TWICE_NANOS = TimeUnit.MILLISECONDS.toNanos(750);

    final T task;
    final String who;
    final DistributedLock lock;
    final SimulatedClient client;
    final World world;
    final Judge judge;

    /**
     * @param client the process
     * @param who the thread, as the judge and the trace know it
     * @param lock with the options of the task
     */
    TaskRun(SimulatedClient client, T task, String who, DistributedLock lock) {
        this.client = client;
        this.task = task;
        this.who = who;
        this.lock = lock;
        this.world = client.world;
        this.judge = client.judge;
    }

    /** Does the task. */
    abstract void perform() throws InterruptedException;

    final Condition condition(String name) {
        return name.isEmpty() ? lock.newCondition() : lock.condition(name);
    }

    /** Has the judge know what the thread was granted. */
    final Judge.@Nullable Held note(@Nullable Lease lease) {
        judge.answered(task.lock(), who);
        if (client.isTrusting()) {
            judge.violated(who + " trusts servers that others watch, and was granted \"" + task.lock() + "\"");
        }
        if (lease == null) {
            world.note(who, "was granted \"" + task.lock() + "\", and has lost it");
            return null;
        }
        world.note(
                who,
                "was granted \"" + task.lock() + "\", token "
                        + lease.fencingToken().orElse(-1));
        return granted(lease);
    }

    /** Tells the judge of a grant. */
    Judge.@Nullable Held granted(Lease lease) {
        return judge.granted(task.lock(), who, lease);
    }

    /** Tells the judge that what it was told of is about to be given back. */
    void returned(Judge.@Nullable Held held) {
        if (held != null) {
            judge.returned(held);
        }
    }

    /** The thread begins to hold the lock for a time. */
    final void keeps() {
        if (!task.renewed() && task.holdNanos() >= SEEN_TWICE_NANOS) {
            client.signals.mayExpire(task.lock(), TimeUnit.MILLISECONDS.toNanos(task.leaseMillis()));
        }
    }

    final void giveBack(Judge.@Nullable Held held, Runnable release) {
        returned(held);
        world.note(who, "gives \"" + task.lock() + "\" back");
        String word =
                held == null || !held.lease().isValid() ? null : world.servers().word(task.lock());
        boolean passes = world.servers().wordsMayRepeat() && judge.isAskedFor(task.lock());
        release.run();
        // Where nothing goes wrong, and no other thread of the client can have got the lease, the server knows, unless
        // somebody else may have got the lock with the same word.
        passes |= world.servers().wordsMayRepeat() && judge.isAskedFor(task.lock());
        if (word != null && world.isFaultless() && client.hasOneWorker() && !passes) {
            String now = world.servers().word(task.lock());
            if (now != null && now.startsWith(word)) {
                judge.violated(
                        who + " has given \"" + task.lock() + "\" back, and the server still holds it for that thread");
            }
        }
    }

    /** Reports a violation if a renewed lease is lost in a run without faults. */
    final void lost(LeaseLostException e) {
        world.note(who, String.valueOf(e.getMessage()));
        if (task.renewed() && world.isFaultless() && !client.isClosing()) {
            judge.violated(who + " has lost \"" + task.lock() + "\", and nothing went wrong");
        }
    }
}
