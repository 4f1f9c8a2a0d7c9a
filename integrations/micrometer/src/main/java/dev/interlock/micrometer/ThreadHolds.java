// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.Lease;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The observed holds of each thread, by the name of the lock. */
final class ThreadHolds {
    /** How many holds a thread may have here before those that were lost, and never given up, are looked for. */
    private static final int TIDY_FROM = 64;

    @SuppressWarnings("ThreadLocalUsage") // The holds of one factory are not those of another.
    private final ThreadLocal<Map<String, Entry>> entries = new ThreadLocal<>();

    /** A hold, and how often its thread has acquired the lock. */
    private static final class Entry {
        final Lease lease;
        final ObservedHold hold;
        int count = 1;

        Entry(Lease lease, ObservedHold hold) {
            this.lease = lease;
            this.hold = hold;
        }
    }

    private @Nullable Entry entry(String lockName) {
        Map<String, Entry> own = entries.get();
        return own == null ? null : own.get(lockName);
    }

    /** Whether the current thread has a hold whose lease is valid, so that an acquisition is a re-entry. */
    boolean isHeld(String lockName) {
        Entry entry = entry(lockName);
        return entry != null && entry.lease.isValid();
    }

    /** Notes that the current thread has acquired a lock again that it holds. */
    void enter(String lockName) {
        Entry entry = entry(lockName);
        if (entry != null) {
            entry.count++;
        }
    }

    /** Notes a fresh hold of the current thread. */
    void begin(Lease lease, ObservedHold hold) {
        Map<String, Entry> own = entries.get();
        if (own == null) {
            own = new HashMap<>();
            entries.set(own);
        } else if (own.size() >= TIDY_FROM) {
            own.values().removeIf(entry -> !entry.lease.isValid());
        }
        own.put(lease.lockName(), new Entry(lease, hold));
    }

    /** Notes that the current thread has undone one acquisition; the last one ends the hold. */
    void exit(String lockName) {
        Entry entry = entry(lockName);
        if (entry != null && --entry.count == 0) {
            forget(lockName);
            entry.hold.released();
        }
    }

    /** Forgets a hold of the current thread that was lost, and says so itself. */
    void forget(String lockName) {
        Map<String, Entry> own = entries.get();
        if (own != null) {
            own.remove(lockName);
            if (own.isEmpty()) {
                entries.remove();
            }
        }
    }
}
