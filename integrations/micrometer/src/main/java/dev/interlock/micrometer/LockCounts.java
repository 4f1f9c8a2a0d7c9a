// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import java.util.HashMap;
import java.util.Map;

/**
 * A count that events change, some of which may be missing. Kept by lock, so that a missing event of one lock does not
 * falsify the count of others for good. Safe to use from any thread.
 */
final class LockCounts {
    private final Object monitor = new Object();
    private final Map<String, Integer> counts = new HashMap<>();
    private int total;

    /** Changes the count of a lock, down to zero at least. */
    void add(String lockName, int change) {
        synchronized (monitor) {
            put(lockName, counts.getOrDefault(lockName, 0) + change);
        }
    }

    void set(String lockName, int count) {
        synchronized (monitor) {
            put(lockName, count);
        }
    }

    private void put(String lockName, int wanted) {
        int count = Math.max(0, wanted);
        Integer before = count == 0 ? counts.remove(lockName) : counts.put(lockName, count);
        total += count - (before == null ? 0 : before);
    }

    void clear() {
        synchronized (monitor) {
            counts.clear();
            total = 0;
        }
    }

    int total() {
        synchronized (monitor) {
            return total;
        }
    }
}
