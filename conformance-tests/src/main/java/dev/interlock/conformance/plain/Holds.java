// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.plain;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How often each thread holds a lock that cannot be asked, going by the calls that returned. */
final class Holds {
    private final Map<Thread, Integer> byThread = new ConcurrentHashMap<>();

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
