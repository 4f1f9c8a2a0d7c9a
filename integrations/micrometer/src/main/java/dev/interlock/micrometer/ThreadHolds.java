// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.Lease;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The observed holds of each thread, by the name of the lock. */
final class ThreadHolds {
    /** The number of holds of a thread from which on lost holds that were never released are removed. */
    private static final int TIDY_FROM = 64;

    @SuppressWarnings("ThreadLocalUsage") // The holds of one factory are not those of another.
    private final ThreadLocal<Map<String, Entry>> entries = new ThreadLocal<>();

    /** A hold, and the number of acquisitions of its thread. */
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

    /** Returns whether the current thread has a hold whose lease is valid, so that an acquisition is a re-entry. */
    boolean isHeld(String lockName) {
        Entry entry = entry(lockName);
        return entry != null && entry.lease.isValid();
    }

    /** Records a re-entry of the current thread. */
    void enter(String lockName) {
        Entry entry = entry(lockName);
        if (entry != null) {
            entry.count++;
        }
    }

    /** Records a new hold of the current thread. */
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

    /** Records one release of the current thread; the last one ends the hold. */
    void exit(String lockName) {
        Entry entry = entry(lockName);
        if (entry != null && --entry.count == 0) {
            forget(lockName);
            entry.hold.released();
        }
    }

    /** Ends the hold of the current thread, which waits for a condition; returns how often it had acquired the lock. */
    int leave(String lockName) {
        Entry entry = entry(lockName);
        if (entry == null) {
            return 0;
        }
        forget(lockName);
        entry.hold.released();
        return entry.count;
    }

    /** Notes a fresh hold of the current thread after a wait for a condition. */
    void comeBack(Lease lease, ObservedHold hold, int count) {
        begin(lease, hold);
        Entry entry = entry(lease.lockName());
        if (entry != null) {
            entry.count = count;
        }
    }

    /** Removes a lost hold of the current thread, whose observation ends by itself. */
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
