// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.plan.Step;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes a lock, holds it for a time, and gives it back. */
class WorkRun extends TaskRun<Step.Work> {
    WorkRun(SimulatedClient client, Step.Work work, String who, DistributedLock lock) {
        super(client, work, who, lock);
    }

    @Override
    void perform() throws InterruptedException {
        switch (task.ask()) {
            case LOCK, LOCK_TWICE -> {
                lock.lock();
                hold();
            }
            case LOCK_INTERRUPTIBLY -> {
                interruptLater(task.waitNanos());
                lock.lockInterruptibly();
                hold();
            }
            case TRY_LOCK -> {
                if (lock.tryLock()) {
                    hold();
                }
            }
            case TRY_LOCK_TIMED -> {
                endsAfter(task.waitNanos());
                if (lock.tryLock(task.waitNanos(), TimeUnit.NANOSECONDS)) {
                    hold();
                }
            }
            case ACQUIRE -> {
                interruptLater(task.waitNanos());
                hold(lock.acquire());
            }
            case TRY_ACQUIRE_TIMED -> {
                endsAfter(task.waitNanos());
                Optional<LockHandle> handle = lock.tryAcquire(Duration.ofNanos(task.waitNanos()));
                if (handle.isPresent()) {
                    hold(handle.get());
                }
            }
        }
    }

    /** Has the judge check that the wait does not go on for long after some time. */
    private void endsAfter(long nanos) {
        long question = judge.question(task.lock(), who);
        world.in(nanos + Judge.PROMPT_NANOS, () -> judge.hasEnded(task.lock(), who, question));
    }

    /** Interrupts the current thread after a time, whatever it does then. */
    private void interruptLater(long nanos) {
        endsAfter(nanos);
        Thread waiting = Thread.currentThread();
        world.in(nanos, () -> {
            if (!client.isDead()) {
                waiting.interrupt();
            }
        });
    }

    private void hold() {
        Lease lease = lock.lease().orElse(null);
        Judge.Held held = note(lease);
        // Who has been told of a loss, by an empty answer, would not enter again but acquire the lock afresh.
        boolean again = task.ask() == Step.Ask.LOCK_TWICE && lease != null;
        if (again) {
            lock.lock();
        }
        keep(lease);
        if (again) {
            lock.unlock();
        }
        giveBack(held, lock::unlock);
    }

    /** Holds the lock for a time. */
    private void keep(@Nullable Lease lease) {
        keeps();
        if (!task.ensured() || lease == null) {
            client.pass(task.holdNanos());
            return;
        }
        client.pass(task.holdNanos() / 2);
        try {
            lease.ensureValid(Duration.ofMillis(task.leaseMillis() * 3 / 2));
            world.note(who, "has ensured the validity of \"" + task.lock() + "\"");
        } catch (LeaseLostException e) {
            lost(e);
        } catch (LockBackendException e) {
            world.note(who, String.valueOf(e.getMessage()));
            // A strategy may refuse a longer lease: redlock has max-lease.
            if (!client.isClosing() && e.reason() != LockBackendException.Reason.REFUSED) {
                judge.failed(who, e);
            }
        } catch (IllegalStateException e) {
            if (!client.isClosing()) {
                throw e;
            }
        }
        client.pass(task.holdNanos() - task.holdNanos() / 2);
    }

    private void hold(LockHandle handle) {
        Judge.Held held = note(handle);
        keep(handle);
        giveBack(held, handle::close);
    }
}
