// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;

/** How often each thread holds a lock that cannot be asked, going by the calls that returned. */
final class HoldCounts {
    /** By identity: a thread may be equal to another. */
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
