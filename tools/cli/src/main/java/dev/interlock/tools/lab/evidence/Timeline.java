// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.evidence;

import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The events of a cell so far, in the order in which the lab received them. Safe to use from any thread. */
public final class Timeline {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Moment> moments = new ArrayList<>();
    private @Nullable RuntimeException failure;

    public void add(Moment moment) {
        lock.lock();
        try {
            moments.add(moment);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Fails all threads that wait for an event. */
    public void fail(RuntimeException why) {
        lock.lock();
        try {
            failure = failure == null ? why : failure;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public int size() {
        lock.lock();
        try {
            return moments.size();
        } finally {
            lock.unlock();
        }
    }

    public List<Moment> moments() {
        lock.lock();
        try {
            return List.copyOf(moments);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a moment.
     *
     * @param from the number of earlier moments, which do not count
     * @param which tells the moment from others
     * @param limit the longest time to wait
     * @return the moment, or empty if it did not come
     * @throws RuntimeException the failure, if the cell has failed
     */
    public Optional<Moment> await(int from, Predicate<Moment> which, Duration limit) {
        long rest = limit.toNanos();
        int next = from;
        lock.lock();
        try {
            while (true) {
                for (; next < moments.size(); next++) {
                    if (which.test(moments.get(next))) {
                        return Optional.of(moments.get(next));
                    }
                }
                if (failure != null) {
                    throw failure;
                }
                if (rest <= 0) {
                    return Optional.empty();
                }
                rest = changed.awaitNanos(rest);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }
}
