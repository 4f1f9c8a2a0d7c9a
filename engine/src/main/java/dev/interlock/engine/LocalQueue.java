// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.backend.Outage;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.Watch;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The half of a {@link Cell} that orders those who want the lock: the threads that wait here, and the one that asks the backend.
 *
 * <p>At most one thread of a factory asks the backend for a name at a time; while it does, the cell is <em>engaged</em>. All
 * others queue. A monitor: its lock is this object's, is held for a few instructions, and never during I/O, a wait or a
 * wake-up. As an ownable synchronizer it shows in thread dumps who holds the lock that a thread waits for.
 */
abstract class LocalQueue extends AbstractOwnableSynchronizer {
    private static final long serialVersionUID = 1L;
    private static final System.Logger LOG = System.getLogger(LocalQueue.class.getPackageName());

    private static final AtomicIntegerFieldUpdater<LocalQueue> SIGNALS =
            AtomicIntegerFieldUpdater.newUpdater(LocalQueue.class, "signals");

    final String name;
    private final transient Environment env;
    private final transient Observer observer;

    /** Whether a thread asks the backend. */
    private transient boolean engaged;

    /** Those who wait behind the holder or the engaged thread. Most cells never have any. */
    private transient @Nullable Waiters queue;

    /** Whether the backend has ever answered. */
    private transient boolean answered;

    private transient @Nullable Outage outage;

    /** Belongs to the engaged thread, and to the table once nobody uses the cell. */
    private transient @Nullable Watch watch;

    private transient volatile int signals;
    private transient volatile @Nullable Thread contender;

    LocalQueue(String name, Environment env, Observer observer) {
        this.name = name;
        this.env = env;
        this.observer = observer;
    }

    /** Whether a thread or handle of this factory holds the lock; within the monitor. */
    abstract boolean isHeldHere();

    /** Makes the caller the one who asks the backend, unless somebody here holds the lock or asks already. */
    final synchronized boolean tryEngage() {
        if (engaged || isHeldHere()) {
            return false;
        }
        engaged = true;
        return true;
    }

    /** As {@link #tryEngage}; puts the waiter into the queue where that returns {@code false}. */
    final synchronized boolean engageOrEnqueue(Waiter waiter) {
        if (tryEngage()) {
            return true;
        }
        if (queue == null) {
            queue = new Waiters(name, observer);
        }
        queue.add(waiter);
        return false;
    }

    /** Takes a waiter out of the queue before its turn; returns {@code false} if its turn has come. */
    final synchronized boolean withdraw(Waiter waiter) {
        return queue != null && queue.remove(waiter);
    }

    final synchronized int queueLength() {
        return queue == null ? 0 : queue.size();
    }

    /** Makes the caller, who held the lock until now, the one who deals with the backend; within the monitor. */
    final void engage() {
        engaged = true;
    }

    /** Ends the engagement because somebody here holds the lock; within the monitor. */
    final void disengage() {
        contender = null;
        engaged = false;
    }

    /** Returns the first of the queue, without taking it out; within the monitor. */
    final @Nullable Waiter first() {
        return queue == null ? null : queue.first();
    }

    /** Takes a waiter out of the queue; within the monitor. The caller wakes it afterwards. */
    final void take(Waiter waiter, Waiter.State why) {
        Objects.requireNonNull(queue).remove(waiter);
        waiter.state = why;
    }

    /** Ends the engagement and lets the next of the queue begin its own. */
    final void passOn() {
        passOn(null);
    }

    /**
     * As {@link #passOn()}.
     *
     * @param yieldSince the signals that were seen before the lock was freed, if clients elsewhere shall have their chance first
     */
    final void passOn(@Nullable Integer yieldSince) {
        Waiter next;
        synchronized (this) {
            next = takeNext(yieldSince);
        }
        wake(next);
    }

    /** As {@link #passOn(Integer)}, within the monitor; the caller wakes the waiter that is returned. */
    final @Nullable Waiter takeNext(@Nullable Integer yieldSince) {
        Waiter next = first();
        contender = null;
        engaged = next != null;
        if (next != null) {
            next.yieldSince = yieldSince;
            take(next, Waiter.State.CONTENDER);
        }
        return next;
    }

    final void wake(@Nullable Waiter waiter) {
        if (waiter != null) {
            env.unpark(waiter.thread);
        }
    }

    /** Ends the wait of some of the queue with the same failure. */
    final void failAll(RuntimeException failure, Predicate<Waiter> which) {
        List<Waiter> failed;
        synchronized (this) {
            failed = queue == null ? List.of() : queue.all(which);
            for (Waiter waiter : failed) {
                waiter.failure = failure;
                take(waiter, Waiter.State.FAILED);
            }
        }
        failed.forEach(this::wake);
    }

    /** Notes that the backend has answered. */
    final synchronized void answered() {
        answered = true;
        if (outage != null) {
            outage.ended();
            outage = null;
        }
    }

    /** Notes that the backend has not answered. */
    final synchronized void failed(LockBackendException failure) {
        if (outage == null) {
            outage = new Outage(name, env, observer, failure);
        } else {
            outage.failed(failure);
        }
    }

    /** Returns the failure since the last answer of the backend, if there is one. */
    final synchronized @Nullable LockBackendException outage() {
        return outage == null ? null : outage.failure();
    }

    /**
     * Whether a wait with this lease must end with a failure. An outage is ridden out if the backend has answered before, has not
     * said that the request is wrong, and has not failed for as long as a lease.
     */
    final synchronized boolean isHopeless(LockBackendException failure, long leaseNanos) {
        return failure.reason() == Reason.REFUSED || !answered || (outage != null && outage.nanos() >= leaseNanos);
    }

    /** Names the engaged thread as the one to wake at a signal. */
    final void contender(Thread thread) {
        contender = thread;
    }

    final int signals() {
        return signals;
    }

    /** Wakes the thread that waits for the backend, since the lock may be free. */
    final void signal() {
        SIGNALS.incrementAndGet(this);
        Thread waiting = contender;
        if (waiting != null) {
            env.unpark(waiting);
        }
    }

    /** Starts to listen for releases; by the engaged thread. */
    final void openWatch(LeaseProtocol protocol) {
        if (watch == null) {
            watch = protocol.watch(name, this::signal);
        }
    }

    /** Whether releases are told; to the engaged thread, once it has opened the watch. */
    final boolean isListening() {
        return watch != null && watch.isListening();
    }

    final void closeWatch() {
        if (watch != null) {
            try {
                watch.close();
            } catch (Throwable e) {
                LOG.log(System.Logger.Level.WARNING, "a watch of lock \"" + name + "\" did not close", e);
            }
        }
    }

    /** Shows no more than the name. */
    @Override
    public final String toString() {
        return "lock \"" + name + "\"";
    }
}
