// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.waiting;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The names of recently contended locks, as far as this client has seen. Only a hint: names with the same hash replace
 * each other, so that the set stays small. Safe to use from any thread.
 */
public final class ContendedNames {
    private static final int PLACES = 1 << 10;

    private final AtomicReferenceArray<String> names = new AtomicReferenceArray<>(PLACES);

    /** Creates an empty set. */
    public ContendedNames() {}

    /**
     * Tells whether somebody waited for a lock recently.
     *
     * @param name the name of the lock
     * @return whether it was added, and neither removed nor displaced since
     */
    public boolean contains(String name) {
        return name.equals(names.get(place(name)));
    }

    /**
     * Adds a name.
     *
     * @param name the name of a lock for which somebody waits
     */
    public void add(String name) {
        int place = place(name);
        if (!name.equals(names.get(place))) {
            names.set(place, name);
        }
    }

    /**
     * Removes a name.
     *
     * @param name the name of a lock for which nobody waits any more
     */
    public void remove(String name) {
        int place = place(name);
        String present = names.get(place);
        if (name.equals(present)) {
            names.compareAndSet(place, present, null);
        }
    }

    private static int place(String name) {
        int hash = name.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
