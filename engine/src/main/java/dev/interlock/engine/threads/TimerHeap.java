// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.threads;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap of timer entries in the order in which they are due, which finds an entry to be removed by the index
 * that the entry keeps. Not safe for use by several threads at once.
 */
final class TimerHeap {
    private static final int LEAST_CAPACITY = 16;

    private Timer.@Nullable Entry[] entries = new Timer.Entry[LEAST_CAPACITY];
    private int size;

    /** Adds an entry, or moves one that is here. */
    void put(Timer.Entry entry, long dueNanos) {
        int at = entry.position;
        if (at < 0) {
            if (size == entries.length) {
                entries = Arrays.copyOf(entries, 2 * size);
            }
            entry.dueNanos = dueNanos;
            siftUp(size++, entry);
        } else {
            entry.dueNanos = dueNanos;
            siftUp(at, entry);
            siftDown(entry.position, entry);
        }
    }

    Timer.@Nullable Entry first() {
        return entries[0];
    }

    void remove(Timer.Entry entry) {
        int at = entry.position;
        if (at < 0) {
            return;
        }
        entry.position = -1;
        Timer.Entry last = at(--size);
        entries[size] = null;
        if (at != size) {
            siftUp(at, last);
            siftDown(last.position, last);
        }
        if (size < entries.length / 4 && entries.length > LEAST_CAPACITY) {
            entries = Arrays.copyOf(entries, entries.length / 2);
        }
    }

    /** Moves entries from the front to a list while they may be handled at a moment. */
    void takeWithin(long now, List<Timer.Entry> taken) {
        for (Timer.Entry first = first();
                first != null && first.dueNanos - first.earlyNanos - now <= 0;
                first = first()) {
            // In this order, so that an error loses no entry.
            taken.add(first);
            remove(first);
        }
    }

    /** Moves all entries to a list, in no particular order. */
    void drain(List<Timer.Entry> taken) {
        for (int i = 0; i < size; i++) {
            Timer.Entry entry = at(i);
            entry.position = -1;
            taken.add(entry);
        }
        entries = new Timer.Entry[LEAST_CAPACITY];
        size = 0;
    }

    private Timer.Entry at(int index) {
        Timer.Entry entry = entries[index];
        assert entry != null : "below the size there is an entry";
        return entry;
    }

    private void siftUp(int from, Timer.Entry entry) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (isSooner(at(parent), entry)) {
                break;
            }
            set(at, at(parent));
            at = parent;
        }
        set(at, entry);
    }

    private void siftDown(int from, Timer.Entry entry) {
        int at = from;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && isSooner(at(child + 1), at(child))) {
                child++;
            }
            if (isSooner(entry, at(child))) {
                break;
            }
            set(at, at(child));
            at = child;
        }
        set(at, entry);
    }

    /** Returns whether the first is due no later than the second; the clock may wrap around. */
    private static boolean isSooner(Timer.Entry first, Timer.Entry second) {
        return first.dueNanos - second.dueNanos <= 0;
    }

    private void set(int index, Timer.Entry entry) {
        entries[index] = entry;
        entry.position = index;
    }
}
