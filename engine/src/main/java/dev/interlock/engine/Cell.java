// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one factory knows about one name: who holds the lock here, and who waits for it here.
 *
 * <p>At most one thread of the factory deals with the backend on behalf of a cell at a time; while it does, the cell is
 * <em>engaged</em>. All others queue. The mutex is held for a few instructions and never during I/O or waiting.
 */
final class Cell {
    private static final System.Logger LOG = System.getLogger(Cell.class.getPackageName());

    final String name;
    final ReentrantLock mutex = new ReentrantLock();

    /** Written by {@link CellTable} alone. */
    int users;

    /** The holder here; written under the mutex. */
    volatile @Nullable Tenure holder;

    /** Whether a thread deals with the backend; under the mutex. */
    private boolean engaged;

    /** Those who wait behind the holder or the engaged thread; under the mutex. Most cells never have any. */
    private Set<Waiter> queue = Collections.emptySet();

    /** How often the grant has passed from thread to thread since the backend gave it; under the mutex. */
    int handoffs;

    /** Whether and when the backend last answered for this cell; under the mutex. */
    private boolean answered;

    private long lastAnswerNanos;

    /** What went wrong since the last answer, if anything did; under the mutex. */
    private @Nullable LockBackendException outage;

    /** Belongs to the engaged thread, and to the table once nobody uses the cell. */
    private @Nullable Watch watch;

    private final Environment env;
    private final AtomicInteger signals = new AtomicInteger();
    private volatile @Nullable Thread contender;

    Cell(String name, Environment env) {
        this.name = name;
        this.env = env;
    }

    /** Makes the caller the one who deals with the backend if nobody holds or does; under the mutex. */
    boolean tryEngage() {
        if (engaged || holder != null) {
            return false;
        }
        engaged = true;
        return true;
    }

    /** Takes the cell from its holder to the caller, who is about to deal with the backend; under the mutex. */
    void engageAfterHolder() {
        holder = null;
        engaged = true;
    }

    /** Makes the engaged thread, or the one to which the grant was handed over, the holder; under the mutex. */
    void hold(Tenure tenure) {
        contender = null;
        holder = tenure;
        engaged = false;
    }

    /** Takes a lost tenure off and lets the next in the queue try; under the mutex. */
    void dropHolder() {
        holder = null;
        passOn(null);
    }

    /**
     * Ends the engagement and lets the next in the queue begin its own; under the mutex.
     *
     * @param yieldSince the signals that were seen before the lock was freed, if others shall have their chance first
     */
    void passOn(@Nullable Integer yieldSince) {
        Waiter next = first();
        contender = null;
        engaged = next != null;
        if (next != null) {
            next.yieldSince = yieldSince;
            take(next, Waiter.State.CONTENDER);
        }
    }

    void enqueue(Waiter waiter) {
        if (queue.isEmpty()) {
            queue = new LinkedHashSet<>();
        }
        queue.add(waiter);
    }

    /** Takes a waiter out of the queue before its turn; returns {@code false} if its turn has come. Under the mutex. */
    boolean withdraw(Waiter waiter) {
        return queue.remove(waiter);
    }

    @Nullable
    Waiter first() {
        return queue.isEmpty() ? null : queue.iterator().next();
    }

    /** Takes a waiter out of the queue for a reason, and wakes it; under the mutex. */
    void take(Waiter waiter, Waiter.State why) {
        queue.remove(waiter);
        waiter.state = why;
        env.unpark(waiter.thread);
    }

    /** Takes waiters out of the queue with the same failure; under the mutex. */
    void failAll(RuntimeException failure, Predicate<Waiter> which) {
        for (Waiter waiter : queue.stream().filter(which).toList()) {
            waiter.failure = failure;
            take(waiter, Waiter.State.FAILED);
        }
    }

    /** Notes that the backend has answered; under the mutex. */
    void answered(long nanos) {
        answered = true;
        lastAnswerNanos = nanos;
        outage = null;
    }

    /** Notes that the backend has not answered; under the mutex. */
    void failed(LockBackendException failure) {
        outage = failure;
    }

    @Nullable
    LockBackendException outage() {
        return outage;
    }

    /** Whether the backend has answered at all, and not longer ago than this; under the mutex. */
    boolean hasAnsweredWithin(long nanos) {
        return answered && env.nanoTime() - lastAnswerNanos <= nanos;
    }

    /** Names the engaged thread as the one to wake at a signal. */
    void contender(Thread thread) {
        contender = thread;
    }

    int signals() {
        return signals.get();
    }

    /** Wakes the contender, since the lock may be free. */
    void signal() {
        signals.incrementAndGet();
        Thread waiting = contender;
        if (waiting != null) {
            env.unpark(waiting);
        }
    }

    /** Starts to listen for releases; by the engaged thread. */
    void openWatch(LeaseProtocol protocol) {
        if (watch == null) {
            watch = protocol.watch(name, this::signal);
        }
    }

    /** Whether releases are told; to the engaged thread, once it has opened the watch. */
    boolean isListening() {
        return !Watch.NONE.equals(watch);
    }

    void closeWatch() {
        if (watch != null) {
            try {
                watch.close();
            } catch (Throwable e) {
                LOG.log(System.Logger.Level.WARNING, "a watch of lock \"" + name + "\" did not close", e);
            }
        }
    }
}
