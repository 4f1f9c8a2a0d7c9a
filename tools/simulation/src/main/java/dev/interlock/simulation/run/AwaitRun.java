// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.judge.SignalJudge;
import dev.interlock.simulation.plan.Step;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Takes a lock, waits for a condition, and gives back what it holds then. */
final class AwaitRun extends TaskRun<Step.Await> {
    AwaitRun(SimulatedClient client, Step.Await wait, String who, DistributedLock lock) {
        super(client, wait, who, lock);
    }

    @Override
    void perform() throws InterruptedException {
        lock.lock();
        Lease lease = lock.lease().orElse(null);
        Judge.Held held = note(lease);
        // Who has been told of a loss, by an empty answer, would not enter again but acquire the lock afresh.
        boolean twice = task.twice() && lease != null;
        if (twice) {
            lock.lock();
        }
        if (held != null) {
            judge.returned(held);
        }
        world.note(who, "waits for condition \"" + task.condition() + "\"");
        SignalJudge.Waiter waiter = client.signals.waits(task.lock(), task.condition(), who);
        boolean signalled = false;
        try {
            signalled = await(waiter, condition(task.condition()));
        } catch (InterruptedException e) {
            world.note(who, "was interrupted");
        } catch (LockBackendException | LeaseLostException | IllegalStateException e) {
            client.signals.ended(waiter, false);
            letGo(twice ? 2 : 1);
            throw e;
        }
        client.signals.ended(waiter, signalled);
        world.note(who, signalled ? "was woken" : "waits no longer");
        Judge.Held again = note(lock.lease().orElse(null));
        if (again == null && task.renewed() && world.isFaultless() && !client.isClosing()) {
            judge.violated(who + " has returned from a wait without \"" + task.lock() + "\", and nothing went wrong");
        }
        keeps();
        client.pass(task.holdNanos());
        if (twice) {
            lock.unlock();
        }
        client.signals.done(waiter);
        giveBack(again, lock::unlock);
    }

    /** Gives a lock back that a failed wait may have left to the thread. */
    private void letGo(int holds) {
        for (int i = 0; i < holds; i++) {
            try {
                lock.unlock();
            } catch (LeaseLostException | LockBackendException e) {
                world.note(who, String.valueOf(e.getMessage()));
            }
        }
    }

    /** Waits for a condition; returns whether a signal has ended that, as far as the thread knows. */
    // The type of dates is that of Condition. Each wait counts here, also one that ends without a signal.
    @SuppressWarnings({"JavaUtilDate", "WaitNotInLoop"})
    private boolean await(SignalJudge.Waiter waiter, Condition condition) throws InterruptedException {
        Thread waiting = Thread.currentThread();
        if (task.waitNanos() > 0) {
            world.in(task.waitNanos(), () -> {
                if (!client.isDead() && client.signals.isWaiting(waiter)) {
                    endWait(waiter, waiting);
                }
            });
        }
        switch (task.waiting()) {
            case INTERRUPTIBLY -> condition.await();
            case UNINTERRUPTIBLY -> condition.awaitUninterruptibly();
            case FOR_A_TIME -> {
                return condition.await(task.waitNanos(), TimeUnit.NANOSECONDS);
            }
            case UNTIL_A_DATE -> {
                return condition.awaitUntil(
                        new Date(client.machine.currentTimeMillis() + task.waitNanos() / 1_000_000));
            }
        }
        return true;
    }

    private void endWait(SignalJudge.Waiter waiter, Thread waiting) {
        if (task.waiting() != Step.Waiting.UNINTERRUPTIBLY) {
            client.signals.mayLeave(waiter);
        }
        if (task.waiting() == Step.Waiting.INTERRUPTIBLY || task.waiting() == Step.Waiting.UNINTERRUPTIBLY) {
            waiting.interrupt();
        }
    }
}
