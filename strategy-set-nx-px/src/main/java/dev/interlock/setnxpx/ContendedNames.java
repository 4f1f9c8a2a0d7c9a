// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The names of locks for which somebody waited lately, as far as this client has seen. Only a hint, which names that fall on the same
 * place take from each other, so that it stays small. Safe to use from any thread.
 */
final class ContendedNames {
    private static final int PLACES = 1 << 10;

    private final AtomicReferenceArray<String> names = new AtomicReferenceArray<>(PLACES);

    boolean contains(String name) {
        return name.equals(names.get(place(name)));
    }

    void add(String name) {
        int place = place(name);
        if (!name.equals(names.get(place))) {
            names.set(place, name);
        }
    }

    void remove(String name) {
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
