// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.engine.backend.Contact;
import dev.interlock.engine.observe.EventQueue;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.engine.threads.Waiter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link Cell} that orders the threads which want the lock: waiters, and one that asks the backend.
 *
 * <p>At most one thread of a factory asks the backend for a name at a time: the cell is <em>engaged</em>, and all
 * others queue. A monitor: its lock is this object's, is held for a few instructions, and never during I/O, a wait, a
 * wake-up or a call of the observer. An ownable synchronizer, so that thread dumps show the holder of the lock.
 */
abstract class LocalQueue extends AbstractOwnableSynchronizer {
    private static final long serialVersionUID = 1L;

    private static final AtomicIntegerFieldUpdater<LocalQueue> SIGNALS =
            AtomicIntegerFieldUpdater.newUpdater(LocalQueue.class, "signals");

    final String name;

    /** The table, which has the state that all cells of a factory share. */
    final transient CellTable table;

    /** Whether a thread asks the backend. */
    private transient boolean engaged;

    /** The waiters behind the holder or the engaged thread. Most cells never have any. */
    private transient Waiter.@Nullable Queue<Hold> queue;

    private transient Contact contact = Contact.NONE;

    /** Events that were noted within the monitor and are told outside of it. Most cells never have any. */
    private transient volatile @Nullable EventQueue events;

    /** Used by the engaged thread alone, and by the table once nobody uses the cell. */
    private transient @Nullable Watch watch;

    private transient volatile int signals;
    private transient volatile @Nullable Thread contender;

    LocalQueue(String name, CellTable table) {
        this.name = name;
        this.table = table;
    }

    /** Returns the name that users know. */
    final String lockName() {
        return LockSide.lockName(name);
    }

    /** Returns whether a thread or handle of this factory holds the lock; within the monitor. */
    abstract boolean isHeldHere();

    /** Makes the caller the thread that asks the backend, unless one here holds the lock or asks already. */
    final synchronized boolean tryEngage() {
        boolean free = !engaged && !isHeldHere();
        engaged |= free;
        return free;
    }

    /** As {@link #tryEngage}; adds the waiter to the queue if the cell cannot be engaged. */
    final boolean engageOrEnqueue(Waiter<Hold> waiter) {
        synchronized (this) {
            if (tryEngage()) {
                return true;
            }
            queue = queue == null ? new Waiter.Queue<>() : queue;
            queue.add(waiter);
            noteQueueLength();
        }
        EventQueue.tell(events);
        return false;
    }

    /** Removes a waiter from the queue before its turn; returns {@code false} if its turn has come. */
    final boolean withdraw(Waiter<Hold> waiter) {
        synchronized (this) {
            if (queue == null || !queue.remove(waiter)) {
                return false;
            }
            noteQueueLength();
        }
        EventQueue.tell(events);
        return true;
    }

    /** Engages the queued thread that was granted the lock, if any, and puts the caller at the head of the queue. */
    final boolean giveWay(Waiter<Hold> caller, Predicate<Claim> isTold) {
        Waiter<Hold> granted;
        synchronized (this) {
            granted = queue == null ? null : queue.giveWay(caller, isTold);
        }
        wake(granted);
        return granted != null;
    }

    private void noteQueueLength() {
        int length = queueLength();
        events = EventQueue.note(events, table.observer, to -> to.queueLength(lockName(), length));
    }

    final synchronized int queueLength() {
        return queue == null ? 0 : queue.size();
    }

    /** Engages the cell for the caller, which held the lock until now. Within the monitor. */
    final void engage() {
        engaged = true;
    }

    /** Ends the engagement because a thread or handle here holds the lock. Within the monitor. */
    final void disengage() {
        contender = null;
        engaged = false;
    }

    /** Returns the first waiter, without removing it. Within the monitor. */
    final @Nullable Waiter<Hold> first() {
        return queue == null ? null : queue.first();
    }

    /** Removes a waiter from the queue. Within the monitor; the caller wakes the waiter afterwards. */
    final void take(Waiter<Hold> waiter, Waiter.State why) {
        Objects.requireNonNull(queue).remove(waiter);
        waiter.state = why;
        noteQueueLength();
    }

    /**
     * Ends the engagement and lets the next of the queue begin its own.
     *
     * @param yieldSince the number of signals seen before the lock was freed; {@code null} unless other clients shall
     *     have their chance first
     */
    final void passOn(@Nullable Integer yieldSince) {
        wake(takeNext(yieldSince));
    }

    /** As {@link #passOn(Integer)}; the caller wakes the waiter that is returned, outside of the monitor. */
    final synchronized @Nullable Waiter<Hold> takeNext(@Nullable Integer yieldSince) {
        Waiter<Hold> next = first();
        contender = null;
        engaged = next != null;
        if (next != null) {
            next.yieldSince = yieldSince;
            take(next, Waiter.State.CONTENDER);
        }
        return next;
    }

    /** Wakes a waiter that was removed from the queue, if there is one, and tells the observer. */
    final void wake(@Nullable Waiter<Hold> waiter) {
        if (waiter != null) {
            table.env.unpark(waiter.thread);
            EventQueue.tell(events);
        }
    }

    /** Ends the waits of some waiters with the same failure. */
    final void failAll(RuntimeException failure, Predicate<Waiter<Hold>> which) {
        List<Waiter<Hold>> failed;
        synchronized (this) {
            failed = queue == null ? List.of() : queue.all(which);
            failed.forEach(waiter -> waiter.failure = failure);
            failed.forEach(waiter -> take(waiter, Waiter.State.FAILED));
        }
        failed.forEach(this::wake);
    }

    /** Notes that the backend has answered. */
    final void answered() {
        table.secondRequests.answered(name);
        synchronized (this) {
            Contact before = contact;
            contact = Contact.ANSWERING;
            if (!before.isOutage()) {
                return;
            }
            long lastedNanos = before.outageNanos(table.env);
            events = EventQueue.note(events, table.observer, to -> to.outageEnded(lockName(), lastedNanos));
        }
        EventQueue.tell(events);
    }

    /** Notes that the backend has not answered. */
    final void failed(LockBackendException failure) {
        synchronized (this) {
            boolean begins = !contact.isOutage();
            contact = contact.failed(table.env, failure);
            if (begins) {
                events = EventQueue.note(events, table.observer, to -> to.outageBegan(lockName(), failure));
            }
        }
        EventQueue.tell(events);
    }

    final synchronized Contact contact() {
        return contact;
    }

    /** Makes signals wake the engaged thread. */
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
            table.env.unpark(waiting);
        }
    }

    /** Starts to listen for releases, unless that has begun. Called by the engaged thread. */
    final Watch openWatch(LeaseProtocol protocol) {
        if (watch == null) {
            watch = protocol.watch(name, this::signal);
        }
        return watch;
    }

    final void closeWatch() {
        if (watch != null) {
            watch.close();
        }
    }

    @Override
    public final String toString() {
        return "lock \"" + lockName() + "\"";
    }
}
