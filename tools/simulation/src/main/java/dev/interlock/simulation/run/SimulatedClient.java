// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockOptions;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.judge.SignalJudge;
import dev.interlock.simulation.network.SimulatedNode;
import dev.interlock.simulation.plan.Step;
import dev.interlock.simulation.time.VirtualMachine;
import java.time.Duration;
import java.util.List;

/** A client: a factory of locks, and threads that use them as the plan says. */
final class SimulatedClient {
    final VirtualMachine machine;

    /** Its ports to the servers that it names. */
    final List<SimulatedNode> nodes;

    final World world;
    final Judge judge;
    final SignalJudge signals;
    private final DistributedLockFactory factory;

    /** Whether it trusts servers that others watch, which must refuse it then. */
    private final boolean trusting;

    private int workers;
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
        workers++;
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

    boolean isTrusting() {
        return trusting;
    }

    boolean isClosing() {
        return closing;
    }

    /** Returns whether it has had one thread that does tasks, and no other. */
    boolean hasOneWorker() {
        return workers == 1;
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
            TaskRun<?> run = begin(task, who, options);
            if (world.isTracing()) {
                world.note(who, "asks: " + task);
            }
            if (task instanceof Step.Several) {
                judge.asksForSeveral(task.lock(), who);
            } else {
                judge.asks(task.lock(), who);
            }
            perform(run);
        } catch (InterruptedException e) {
            world.note(who, "was interrupted");
        } catch (LockBackendException e) {
            world.note(who, String.valueOf(e.getMessage()));
            if (trusting) {
                world.faultHadEffect("trust-refused");
            } else if (!closing && isPlanned(task)) {
                judge.failed(who, e);
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

    /** The world has other tasks done before servers vote, and asks again. */
    private static boolean isPlanned(Step.Task task) {
        return task.number() >= 0;
    }

    private void perform(TaskRun<?> run) throws InterruptedException {
        try {
            run.perform();
            world.note(run.who, "is done");
        } catch (LeaseLostException e) {
            run.lost(e);
        }
    }

    private TaskRun<?> begin(Step.Task task, String who, LockOptions options) {
        if (task instanceof Step.Side side) {
            return new SideRun(this, side, who, factory.getReadWriteLock(side.lock(), options));
        }
        if (task instanceof Step.Several several) {
            return new SeveralRun(this, several, who, factory.getLock(several.names(), options));
        }
        DistributedLock lock = factory.getLock(task.lock(), options);
        if (task instanceof Step.Await wait) {
            return new AwaitRun(this, wait, who, lock);
        }
        return task instanceof Step.Signal signal
                ? new SignalRun(this, signal, who, lock)
                : new WorkRun(this, (Step.Work) task, who, lock);
    }

    /** Lets time pass, whatever interrupts come. */
    void pass(long nanos) {
        if (nanos > 0) {
            machine.sleep(nanos);
        }
    }
}
