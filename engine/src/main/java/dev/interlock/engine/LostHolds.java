// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LossCause;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What threads have lost and not yet unlocked, so that their {@code unlock} can tell them. An entry lives no longer than its thread.
 * Safe to use from any thread.
 */
final class LostHolds {
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<Thread, Map<String, LostHold>> byThread = new WeakHashMap<>();

    /** What a thread has lost, oldest first. One that never unlocks what it lost is not remembered for ever. */
    private static final class OfOneThread extends LinkedHashMap<String, LostHold> {
        private static final long serialVersionUID = 1L;
        private static final int MAX = 1_000;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LostHold> eldest) {
            return size() > MAX;
        }
    }

    private record LostHold(int holds, LossCause cause) {}

    void add(Thread thread, String name, int holds, LossCause cause) {
        mutex.lock();
        try {
            byThread.computeIfAbsent(thread, t -> new OfOneThread())
                    .merge(name, new LostHold(holds, cause), (a, b) -> new LostHold(a.holds + b.holds, b.cause));
        } finally {
            mutex.unlock();
        }
    }

    /** Takes back one hold that a thread has lost, and returns why it was lost; empty if the thread lost none. */
    Optional<LossCause> takeBack(Thread thread, String name) {
        mutex.lock();
        try {
            Map<String, LostHold> lost = byThread.get(thread);
            if (lost == null || !lost.containsKey(name)) {
                return Optional.empty();
            }
            LostHold hold = lost.get(name);
            if (hold.holds > 1) {
                lost.put(name, new LostHold(hold.holds - 1, hold.cause));
            } else {
                lost.remove(name);
                if (lost.isEmpty()) {
                    byThread.remove(thread);
                }
            }
            return Optional.of(hold.cause);
        } finally {
            mutex.unlock();
        }
    }
}
