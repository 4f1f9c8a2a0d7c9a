// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.simulation.network.SimulatedNode;
import dev.interlock.simulation.time.VirtualMachine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A client: a factory of locks, and threads that use them as the plan says. */
final class SimulatedClient {
    final VirtualMachine machine;

    /** Its ports to the servers that it names. */
    final List<SimulatedNode> nodes;

    private final DistributedLockFactory factory;
    private final Judge judge;
    private final SignalJudge signals;
    private final World world;

    /** Whether it trusts servers that others watch, which must refuse it then. */
    private final boolean trusting;

    private final List<Thread> workers = new ArrayList<>();
    private int busy;
    private boolean closing;
    private boolean closed;
    private boolean dead;

    SimulatedClient(
            World world,
            VirtualMachine machine,
            List<SimulatedNode> nodes,
            DistributedLockFactory factory,
            Judge judge,
            SignalJudge signals,
            boolean trusting) {
        this.world = world;
        this.machine = machine;
        this.nodes = nodes;
        this.factory = factory;
        this.judge = judge;
        this.signals = signals;
        this.trusting = trusting;
    }

    /** Starts a thread that does some tasks one after the other. */
    void start(List<? extends Step.Task> tasks) {
        busy++;
        Thread thread = machine.newThread("worker-" + tasks.get(0).worker(), () -> {
            try {
                tasks.forEach(this::run);
            } finally {
                busy--;
            }
        });
        workers.add(thread);
        thread.start();
    }

    /** Returns whether its threads have done their work, or never will. */
    boolean isDone() {
        return busy == 0 || dead;
    }

    boolean isDead() {
        return dead;
    }

    boolean isIdle() {
        return busy == 0;
    }

    /** The process dies. */
    void die(long noticedAfter) {
        dead = true;
        machine.stop();
        judge.died(machine.name());
        signals.died(machine.name());
        nodes.forEach(node -> node.die(noticedAfter));
    }

    /** Makes the threads of a dead process end. They cannot reach anything any more. */
    void bury() {
        machine.go();
        close();
    }

    /** Closes the factory on a thread of its own. */
    void close() {
        if (closing) {
            return;
        }
        closing = true;
        machine.newThread("closer", () -> {
                    factory.close();
                    closed = true;
                })
                .start();
    }

    boolean isClosed() {
        return closed;
    }

    private void run(Step.Task task) {
        pass(task.thinkNanos());
        if (dead || closing) {
            return;
        }
        String who = machine.name() + "/" + task.worker();
        try {
            LockOptions options = LockOptions.builder()
                    .lease(Duration.ofMillis(task.leaseMillis()))
                    .renewal(task.renewed())
                    .build();
            DistributedLock lock = factory.getLock(task.lock(), options);
            world.note(who, "asks: " + task);
            judge.asks(task.lock(), who);
            if (task instanceof Step.Work work) {
                use(work, who, lock);
            } else if (task instanceof Step.Await wait) {
                await(wait, who, lock);
            } else if (task instanceof Step.Signal signal) {
                signal(signal, who, lock);
            }
            world.note(who, "is done");
        } catch (InterruptedException e) {
            world.note(who, "was interrupted");
        } catch (LeaseLostException e) {
            lost(task, who, e);
        } catch (LockBackendException e) {
            world.note(who, String.valueOf(e.getMessage()));
            if (trusting) {
                world.faultHadEffect("trust-refused");
            }
        } catch (IllegalStateException e) {
            if (!closing) {
                throw e;
            }
            world.note(who, "finds the factory closed");
        } finally {
            judge.answered(task.lock(), who);
            Thread.interrupted();
        }
    }

    private void use(Step.Work work, String who, DistributedLock lock) throws InterruptedException {
        switch (work.ask()) {
            case LOCK, LOCK_TWICE -> {
                lock.lock();
                hold(work, who, lock);
            }
            case LOCK_INTERRUPTIBLY -> {
                interruptLater(work.waitNanos());
                lock.lockInterruptibly();
                hold(work, who, lock);
            }
            case TRY_LOCK -> {
                if (lock.tryLock()) {
                    hold(work, who, lock);
                }
            }
            case TRY_LOCK_TIMED -> {
                if (lock.tryLock(work.waitNanos(), TimeUnit.NANOSECONDS)) {
                    hold(work, who, lock);
                }
            }
            case ACQUIRE -> {
                interruptLater(work.waitNanos());
                hold(work, who, lock.acquire());
            }
            case TRY_ACQUIRE_TIMED -> {
                Optional<LockHandle> handle = lock.tryAcquire(Duration.ofNanos(work.waitNanos()));
                if (handle.isPresent()) {
                    hold(work, who, handle.get());
                }
            }
        }
    }

    /** Takes the lock, waits for a condition, and gives back what it holds then. */
    private void await(Step.Await wait, String who, DistributedLock lock) throws InterruptedException {
        lock.lock();
        Judge.Held held = note(wait, who, lock.lease().orElse(null));
        if (wait.twice()) {
            lock.lock();
        }
        if (held != null) {
            judge.returned(held);
        }
        world.note(who, "waits for condition \"" + wait.condition() + "\"");
        SignalJudge.Waiter waiter = signals.waits(wait.lock(), wait.condition(), who);
        boolean signalled = false;
        try {
            signalled = await(wait, waiter, condition(lock, wait.condition()));
        } catch (InterruptedException e) {
            world.note(who, "was interrupted");
        } catch (LockBackendException | LeaseLostException | IllegalStateException e) {
            signals.ended(waiter, false);
            letGo(who, lock, wait.twice() ? 2 : 1);
            throw e;
        }
        signals.ended(waiter, signalled);
        world.note(who, signalled ? "was woken" : "waits no longer");
        Judge.Held again = note(wait, who, lock.lease().orElse(null));
        if (again == null && wait.renewed() && world.isFaultless() && !closing) {
            judge.violated(who + " has returned from a wait without \"" + wait.lock() + "\", and nothing went wrong");
        }
        pass(wait.holdNanos());
        if (wait.twice()) {
            lock.unlock();
        }
        signals.done(waiter);
        giveBack(wait, who, again, lock::unlock);
    }

    /** Gives a lock back that a failed wait may have left to the thread. */
    private void letGo(String who, DistributedLock lock, int holds) {
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
    private boolean await(Step.Await wait, SignalJudge.Waiter waiter, Condition condition) throws InterruptedException {
        Thread waiting = Thread.currentThread();
        if (wait.waitNanos() > 0) {
            world.in(wait.waitNanos(), () -> {
                if (!dead && signals.isWaiting(waiter)) {
                    endWait(wait.waiting(), waiter, waiting);
                }
            });
        }
        switch (wait.waiting()) {
            case INTERRUPTIBLY -> condition.await();
            case UNINTERRUPTIBLY -> condition.awaitUninterruptibly();
            case FOR_A_TIME -> {
                return condition.await(wait.waitNanos(), TimeUnit.NANOSECONDS);
            }
            case UNTIL_A_DATE -> {
                return condition.awaitUntil(new Date(machine.currentTimeMillis() + wait.waitNanos() / 1_000_000));
            }
        }
        return true;
    }

    private void endWait(Step.Waiting kind, SignalJudge.Waiter waiter, Thread waiting) {
        if (kind != Step.Waiting.UNINTERRUPTIBLY) {
            signals.mayLeave(waiter);
        }
        if (kind == Step.Waiting.INTERRUPTIBLY || kind == Step.Waiting.UNINTERRUPTIBLY) {
            waiting.interrupt();
        }
    }

    private static Condition condition(DistributedLock lock, String name) {
        return name.isEmpty() ? lock.newCondition() : lock.condition(name);
    }

    /** Takes the lock, signals a condition, and gives the lock back. */
    private void signal(Step.Signal signal, String who, DistributedLock lock) {
        lock.lock();
        dev.interlock.Lease lease = lock.lease().orElse(null);
        Judge.Held held = note(signal, who, lease);
        try {
            Condition condition = condition(lock, signal.condition());
            if (signal.all()) {
                condition.signalAll();
            } else {
                condition.signal();
            }
            world.note(
                    who,
                    "has signalled " + (signal.all() ? "all of " : "") + "condition \"" + signal.condition() + "\"");
            // Without the lock, others may have begun to wait behind the signal.
            if (lease != null && lease.isValid()) {
                signals.sent(signal.lock(), signal.condition(), who, signal.all());
            }
            pass(signal.holdNanos());
        } finally {
            giveBack(signal, who, held, lock::unlock);
        }
    }

    /** Reports a violation if a renewed lease is lost in a run without faults. */
    private void lost(Step.Task work, String who, LeaseLostException e) {
        world.note(who, String.valueOf(e.getMessage()));
        if (work.renewed() && world.isFaultless() && !closing) {
            judge.violated(who + " has lost \"" + work.lock() + "\", and nothing went wrong");
        }
    }

    /** Interrupts the current thread after a time, whatever it does then. */
    private void interruptLater(long nanos) {
        Thread waiting = Thread.currentThread();
        world.in(nanos, () -> {
            if (!dead) {
                waiting.interrupt();
            }
        });
    }

    private void hold(Step.Work work, String who, DistributedLock lock) {
        dev.interlock.Lease lease = lock.lease().orElse(null);
        Judge.Held held = note(work, who, lease);
        if (work.ask() == Step.Ask.LOCK_TWICE) {
            lock.lock();
        }
        keep(work, who, lease);
        if (work.ask() == Step.Ask.LOCK_TWICE) {
            lock.unlock();
        }
        giveBack(work, who, held, lock::unlock);
    }

    /** Holds the lock for a time. */
    private void keep(Step.Work work, String who, dev.interlock.@Nullable Lease lease) {
        if (!work.ensured() || lease == null) {
            pass(work.holdNanos());
            return;
        }
        pass(work.holdNanos() / 2);
        try {
            lease.ensureValid(Duration.ofMillis(work.leaseMillis() * 3 / 2));
            world.note(who, "has ensured the validity of \"" + work.lock() + "\"");
        } catch (LeaseLostException e) {
            lost(work, who, e);
        } catch (LockBackendException e) {
            world.note(who, String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            if (!closing) {
                throw e;
            }
        }
        pass(work.holdNanos() - work.holdNanos() / 2);
    }

    private void giveBack(Step.Task work, String who, Judge.@Nullable Held held, Runnable release) {
        if (held != null) {
            judge.returned(held);
        }
        world.note(who, "gives \"" + work.lock() + "\" back");
        String word =
                held == null || !held.lease().isValid() ? null : world.servers().word(work.lock());
        boolean passes = world.servers().areSeveral() && judge.isAskedFor(work.lock());
        release.run();
        // Where nothing goes wrong, and no other thread of the client can have got the lease, the server knows. Where
        // several servers vote, the next holder may have the same token.
        passes |= world.servers().areSeveral() && judge.isAskedFor(work.lock());
        if (word != null && world.isFaultless() && workers.size() == 1 && !passes) {
            String now = world.servers().word(work.lock());
            if (now != null && now.startsWith(word)) {
                judge.violated(
                        who + " has given \"" + work.lock() + "\" back, and the server still holds it for that thread");
            }
        }
    }

    private void hold(Step.Work work, String who, LockHandle handle) {
        Judge.Held held = note(work, who, handle);
        keep(work, who, handle);
        giveBack(work, who, held, handle::close);
    }

    private Judge.@Nullable Held note(Step.Task work, String who, dev.interlock.@Nullable Lease lease) {
        judge.answered(work.lock(), who);
        if (trusting) {
            judge.violated(who + " trusts servers that others watch, and was granted \"" + work.lock() + "\"");
        }
        if (lease == null) {
            world.note(who, "was granted \"" + work.lock() + "\", and has lost it");
            return null;
        }
        world.note(
                who,
                "was granted \"" + work.lock() + "\", token "
                        + lease.fencingToken().orElse(-1));
        return judge.granted(work.lock(), who, lease);
    }

    /** Lets time pass, whatever interrupts come. */
    private void pass(long nanos) {
        if (nanos > 0) {
            machine.sleep(nanos);
        }
    }
}
