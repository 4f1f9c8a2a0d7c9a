// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import dev.interlock.LockOptions;
import dev.interlock.engine.protocol.Claim;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A thread in a local queue. Its fields are guarded by the monitor of whoever has the queue except where they are
 * volatile.
 *
 * @param <H> what may be handed to it
 */
public final class Waiter<H> {
    public enum State {
        /** The thread is in the queue. */
        QUEUED,
        /** The thread has left the queue, and now asks the backend for the cell. */
        CONTENDER,
        /** The thread has left the queue: a holder has handed it its grant. */
        GRANTED,
        /** The thread has left the queue: the thread that asked the backend has failed for all. */
        FAILED
    }

    public final Thread thread;

    /** Whether the thread will hold the lock; otherwise a handle will. */
    public final boolean forThread;

    public final LockOptions options;

    /** Whether the backend has answered its acquisition, for another name. */
    public final boolean answered;

    public volatile State state = State.QUEUED;

    public @Nullable H hold;

    public @Nullable RuntimeException failure;

    /**
     * The claim that keeps a place with the backend already, because the thread waited for a condition, or asked the
     * backend and has given way since. {@code null} for all others.
     */
    public @Nullable Claim place;

    /**
     * The number of signals that the cell had seen before a local holder freed the lock; {@code null} unless other
     * clients shall have their chance first.
     */
    public @Nullable Integer yieldSince;

    public Waiter(Thread thread, boolean forThread, LockOptions options, boolean answered) {
        this.thread = thread;
        this.forThread = forThread;
        this.options = options;
        this.answered = answered;
    }

    /** The threads that wait, first come first. Guarded by the same monitor. */
    public static final class Queue<H> {
        private final Set<Waiter<H>> waiters = new LinkedHashSet<>();

        /** The threads that have given way to another one. They stand before all others. Nearly always empty. */
        private final Deque<Waiter<H>> head = new ArrayDeque<>(0);

        public int size() {
            return head.size() + waiters.size();
        }

        public @Nullable Waiter<H> first() {
            if (!head.isEmpty()) {
                return head.getFirst();
            }
            return waiters.isEmpty() ? null : waiters.iterator().next();
        }

        public List<Waiter<H>> all(Predicate<Waiter<H>> which) {
            return Stream.concat(head.stream(), waiters.stream()).filter(which).toList();
        }

        public void add(Waiter<H> waiter) {
            waiters.add(waiter);
        }

        /**
         * Removes the first thread whose place was granted, so that it asks instead of the caller, which goes to the
         * head.
         */
        public @Nullable Waiter<H> giveWay(Waiter<H> waiter, Predicate<Claim> isTold) {
            Waiter<H> other = first(head, isTold);
            other = other != null ? other : first(waiters, isTold);
            if (other != null) {
                remove(other);
                other.state = State.CONTENDER;
                head.addFirst(waiter);
            }
            return other;
        }

        private static <H> @Nullable Waiter<H> first(Iterable<Waiter<H>> waiters, Predicate<Claim> isTold) {
            for (Waiter<H> waiter : waiters) {
                Claim place = waiter.place;
                if (place != null && isTold.test(place)) {
                    return waiter;
                }
            }
            return null;
        }

        /** Removes a waiter; returns {@code false} if it was not in the queue. */
        public boolean remove(Waiter<H> waiter) {
            return head.remove(waiter) || waiters.remove(waiter);
        }
    }
}
