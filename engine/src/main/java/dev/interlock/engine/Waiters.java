// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.engine.observe.Observer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The threads that wait in a cell, first come first. Tells the observer how many. Guarded by the cell's monitor. */
final class Waiters {
    private final String lockName;
    private final Observer observer;
    private final Set<Waiter> waiters = new LinkedHashSet<>();

    Waiters(String lockName, Observer observer) {
        this.lockName = lockName;
        this.observer = observer;
    }

    int size() {
        return waiters.size();
    }

    @Nullable
    Waiter first() {
        return waiters.isEmpty() ? null : waiters.iterator().next();
    }

    List<Waiter> all(Predicate<Waiter> which) {
        return waiters.stream().filter(which).toList();
    }

    void add(Waiter waiter) {
        waiters.add(waiter);
        changed();
    }

    /** Takes a waiter out; returns {@code false} if it was not in. */
    boolean remove(Waiter waiter) {
        boolean removed = waiters.remove(waiter);
        if (removed) {
            changed();
        }
        return removed;
    }

    private void changed() {
        if (observer.isOn()) {
            observer.queueLength(lockName, waiters.size());
        }
    }
}
