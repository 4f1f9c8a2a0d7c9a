// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.engine.backend.Contact;
import dev.interlock.engine.observe.EventQueue;
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
 * others queue. A monitor: its lock is this object's, is held for a few instructions, and never during I/O, a wait, a
 * wake-up or a call of the observer. As an ownable synchronizer it shows in thread dumps who holds the lock that a thread waits for.
 */
abstract class LocalQueue extends AbstractOwnableSynchronizer {
    private static final long serialVersionUID = 1L;

    private static final AtomicIntegerFieldUpdater<LocalQueue> SIGNALS =
            AtomicIntegerFieldUpdater.newUpdater(LocalQueue.class, "signals");

    final String name;

    /** Has what all cells of a factory share. */
    final transient CellTable table;

    /** Whether a thread asks the backend. */
    private transient boolean engaged;

    /** Those who wait behind the holder or the engaged thread. Most cells never have any. */
    private transient Waiter.@Nullable Queue queue;

    private transient Contact contact = Contact.NONE;

    /** What was noted within the monitor and is told outside of it. Most cells never have anything. */
    private transient volatile @Nullable EventQueue events;

    /** Belongs to the engaged thread, and to the table once nobody uses the cell. */
    private transient @Nullable Watch watch;

    private transient volatile int signals;
    private transient volatile @Nullable Thread contender;

    LocalQueue(String name, CellTable table) {
        this.name = name;
        this.table = table;
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
    final boolean engageOrEnqueue(Waiter waiter) {
        synchronized (this) {
            if (tryEngage()) {
                return true;
            }
            if (queue == null) {
                queue = new Waiter.Queue();
            }
            queue.add(waiter);
            noteQueueLength();
        }
        EventQueue.tell(events);
        return false;
    }

    /** Takes a waiter out of the queue before its turn; returns {@code false} if its turn has come. */
    final boolean withdraw(Waiter waiter) {
        synchronized (this) {
            if (queue == null || !queue.remove(waiter)) {
                return false;
            }
            noteQueueLength();
        }
        EventQueue.tell(events);
        return true;
    }

    private void noteQueueLength() {
        int length = queueLength();
        events = EventQueue.note(events, table.observer, to -> to.queueLength(name, length));
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
        noteQueueLength();
    }

    /**
     * Ends the engagement and lets the next of the queue begin its own.
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

    /** Wakes a waiter that was taken out of the queue, if there is one, and tells the table.observer. */
    final void wake(@Nullable Waiter waiter) {
        if (waiter != null) {
            table.env.unpark(waiter.thread);
            EventQueue.tell(events);
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
    final void answered() {
        table.answering.answered(name);
        synchronized (this) {
            Contact before = contact;
            contact = Contact.ANSWERING;
            if (!before.isOutage()) {
                return;
            }
            long lastedNanos = before.outageNanos(table.env);
            events = EventQueue.note(events, table.observer, to -> to.outageEnded(name, lastedNanos));
        }
        EventQueue.tell(events);
    }

    /** Notes that the backend has not answered. */
    final void failed(LockBackendException failure) {
        synchronized (this) {
            boolean begins = !contact.isOutage();
            contact = contact.failed(table.env, failure);
            if (begins) {
                events = EventQueue.note(events, table.observer, to -> to.outageBegan(name, failure));
            }
        }
        EventQueue.tell(events);
    }

    final synchronized Contact contact() {
        return contact;
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
            table.env.unpark(waiting);
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
            watch.close();
        }
    }

    /** Shows no more than the name. */
    @Override
    public final String toString() {
        return "lock \"" + name + "\"";
    }
}
