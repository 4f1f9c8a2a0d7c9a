// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The lock objects that were used last, by name. Drops none that is in use. Safe to use from any thread. */
final class LockCache {
    /** The most objects in use that one call passes over, so that no call takes long if all are in use. */
    private static final int PATIENCE = 16;

    private final Object monitor = new Object();
    /** The lock objects by name, least recently used first. */
    private final Map<String, RegistryLock> locks = new LinkedHashMap<>(16, 0.75f, true);

    private int capacity;

    LockCache(int capacity) {
        this.capacity = capacity;
    }

    RegistryLock get(String name, Function<String, RegistryLock> maker) {
        synchronized (monitor) {
            RegistryLock lock = locks.computeIfAbsent(name, maker);
            lock.touch();
            trim(lock, PATIENCE);
            return lock;
        }
    }

    void setCapacity(int capacity) {
        synchronized (monitor) {
            this.capacity = capacity;
            trim(null, locks.size());
        }
    }

    void expire(long ageNanos) {
        synchronized (monitor) {
            locks.values().removeIf(lock -> !lock.isInUse() && lock.idleNanos() >= ageNanos);
        }
    }

    /**
     * Drops the least recently used lock objects. An object in use moves to the end of the order, so that the next call
     * checks others.
     */
    private void trim(@Nullable RegistryLock spared, int steps) {
        for (int step = 0; step < steps && locks.size() > capacity; step++) {
            Iterator<Map.Entry<String, RegistryLock>> order = locks.entrySet().iterator();
            Map.Entry<String, RegistryLock> eldest = order.next();
            RegistryLock lock = eldest.getValue();
            if (lock == spared || lock.isInUse()) {
                locks.get(eldest.getKey());
            } else {
                order.remove();
            }
        }
    }
}
