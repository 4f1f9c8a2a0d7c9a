// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The threads that wait in a cell, first come first. Guarded by the cell's monitor. */
final class Waiters {
    private final Set<Waiter> waiters = new LinkedHashSet<>();

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
    }

    /** Takes a waiter out; returns {@code false} if it was not in. */
    boolean remove(Waiter waiter) {
        return waiters.remove(waiter);
    }
}
