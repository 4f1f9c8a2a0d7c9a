// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.loss;

import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The losses that threads have not been told of; the next call about the lock tells them. An entry lives no longer than
 * its thread. Safe to use from any thread.
 */
public final class LostHolds {
    private final Environment env;
    private final long patienceNanos;
    private final Map<Owner, OfOneThread> byThread = new HashMap<>();
    private final ReferenceQueue<Thread> ended = new ReferenceQueue<>();

    /** Read without the lock, so that threads without losses do not contend here. */
    private volatile boolean empty = true;

    /** A thread, compared by identity whatever its {@code equals} says. */
    private static final class Owner extends WeakReference<Thread> {
        private final int hash;

        Owner(Thread thread, @Nullable ReferenceQueue<Thread> queue) {
            super(thread, queue);
            this.hash = System.identityHashCode(thread);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || (other instanceof Owner that && get() != null && refersTo(that.get()));
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** The losses of one thread, oldest first. Their number is bounded, since a thread may never ask about them. */
    private static final class OfOneThread extends LinkedHashMap<String, LostHold> {
        private static final long serialVersionUID = 1L;
        private static final int MAX = 1_000;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LostHold> eldest) {
            return size() > MAX;
        }
    }

    /** The holds of one lock that a thread has lost and not unlocked. */
    private static final class LostHold {
        final LossCause cause;
        final Interruption interruption;
        int holds;
        boolean told;

        LostHold(LossCause cause, Interruption interruption, int holds) {
            this.cause = cause;
            this.interruption = interruption;
            this.holds = holds;
        }
    }

    /**
     * @param patienceNanos how long to wait for an interrupt that has begun and that a thread class of the application
     *     delays
     */
    public LostHolds(Environment env, long patienceNanos) {
        this.env = env;
        this.patienceNanos = patienceNanos;
    }

    /** Notes a loss of a thread; returns the interruption that belongs to it. */
    public synchronized Interruption add(Thread thread, String name, int holds, LossCause cause) {
        forgetEnded();
        Interruption interruption = new Interruption();
        byThread.computeIfAbsent(new Owner(thread, ended), owner -> new OfOneThread())
                .put(name, new LostHold(cause, interruption, holds));
        empty = false;
        return interruption;
    }

    private void forgetEnded() {
        for (Object owner = ended.poll(); owner != null; owner = ended.poll()) {
            byThread.remove(owner);
        }
    }

    /**
     * Tells the current thread of a loss that it was not told of, in any call but {@code unlock}.
     *
     * @return why the lock was lost, or {@code null} if there is nothing to tell
     */
    public @Nullable LossCause tell(Thread thread, String name) {
        if (empty) {
            return null;
        }
        LostHold lost;
        synchronized (this) {
            lost = find(thread, name);
            if (lost == null || lost.told) {
                return null;
            }
            lost.told = true;
        }
        preclude(lost.interruption);
        return lost.cause;
    }

    /**
     * As {@link #tell}, even if the thread was told already and has not unlocked since; for calls that need the lock.
     */
    public @Nullable LossCause tellAgain(Thread thread, String name) {
        if (empty) {
            return null;
        }
        LostHold lost;
        synchronized (this) {
            lost = find(thread, name);
            if (lost == null) {
                return null;
            }
            lost.told = true;
        }
        preclude(lost.interruption);
        return lost.cause;
    }

    /**
     * Removes one of the lost holds of the current thread; for {@code unlock}.
     *
     * @return why it was lost, or {@code null} if the thread lost none
     */
    public @Nullable LossCause takeBack(Thread thread, String name) {
        if (empty) {
            return null;
        }
        LostHold lost;
        synchronized (this) {
            lost = find(thread, name);
            if (lost == null) {
                return null;
            }
            lost.told = true;
            if (--lost.holds == 0) {
                remove(thread, name);
            }
        }
        preclude(lost.interruption);
        return lost.cause;
    }

    /**
     * Returns when the current thread cannot be interrupted any more because of its loss of a lock; see {@link
     * Interruption#preclude}. Does not count as told.
     */
    public void precludeInterrupt(Thread thread, String name) {
        LostHold lost;
        synchronized (this) {
            lost = find(thread, name);
        }
        if (lost != null) {
            preclude(lost.interruption);
        }
    }

    private void preclude(Interruption interruption) {
        interruption.preclude(env, patienceNanos);
    }

    /** Forgets a loss that the thread was told of, because it has acquired the lock anew. */
    public void forget(Thread thread, String name) {
        if (!empty) {
            synchronized (this) {
                remove(thread, name);
            }
        }
    }

    /** The number of threads with remembered losses, for tests that check for leaks. */
    synchronized int threads() {
        return byThread.size();
    }

    private @Nullable LostHold find(Thread thread, String name) {
        OfOneThread lost = byThread.get(new Owner(thread, null));
        return lost == null ? null : lost.get(name);
    }

    private void remove(Thread thread, String name) {
        Owner owner = new Owner(thread, null);
        OfOneThread lost = byThread.get(owner);
        if (lost != null) {
            lost.remove(name);
            if (lost.isEmpty()) {
                byThread.remove(owner);
            }
        }
        empty = byThread.isEmpty();
    }
}
