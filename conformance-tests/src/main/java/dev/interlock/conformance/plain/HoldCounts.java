// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;

/** Counts the holds of each thread by its calls, for a lock that has no query for them. */
final class HoldCounts {
    /** Compared by identity, since a thread may be {@code equal} to another. */
    private final Map<Thread, Integer> byThread = Collections.synchronizedMap(new IdentityHashMap<>());

    void locked() {
        byThread.merge(Thread.currentThread(), 1, Integer::sum);
    }

    void unlocked() {
        byThread.computeIfPresent(Thread.currentThread(), (thread, holds) -> holds == 1 ? null : holds - 1);
    }

    int ofCurrentThread() {
        return byThread.getOrDefault(Thread.currentThread(), 0);
    }
}
