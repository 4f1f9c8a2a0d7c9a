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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client: a factory of locks, and threads that use them as the plan says. */
final class SimulatedClient {
    final VirtualMachine machine;

    /** Its ports to the servers that it names. */
    final List<SimulatedNode> nodes;

    private final DistributedLockFactory factory;
    private final Judge judge;
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
            boolean trusting) {
        this.world = world;
        this.machine = machine;
        this.nodes = nodes;
        this.factory = factory;
        this.judge = judge;
        this.trusting = trusting;
    }

    /** Starts a thread that does some works one after the other. */
    void start(List<Step.Work> works) {
        busy++;
        Thread thread = machine.newThread("worker-" + works.get(0).worker(), () -> {
            try {
                works.forEach(this::run);
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

    private void run(Step.Work work) {
        pass(work.thinkNanos());
        if (dead || closing) {
            return;
        }
        String who = machine.name() + "/" + work.worker();
        try {
            LockOptions options = LockOptions.builder()
                    .lease(Duration.ofMillis(work.leaseMillis()))
                    .renewal(work.renewed())
                    .build();
            DistributedLock lock = factory.getLock(work.lock(), options);
            world.note(who, "asks: " + work);
            judge.asks(work.lock(), who);
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
            world.note(who, "is done");
        } catch (InterruptedException e) {
            world.note(who, "was interrupted");
        } catch (LeaseLostException e) {
            lost(work, who, e);
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
            judge.answered(work.lock(), who);
            Thread.interrupted();
        }
    }

    /** Reports a violation if a renewed lease is lost in a run without faults. */
    private void lost(Step.Work work, String who, LeaseLostException e) {
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

    private void giveBack(Step.Work work, String who, Judge.@Nullable Held held, Runnable release) {
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

    private Judge.@Nullable Held note(Step.Work work, String who, dev.interlock.@Nullable Lease lease) {
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
