// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Events that are noted within a monitor and told outside of it, one after another, in the order in which they were noted. Safe
 * to use from any thread.
 */
public final class EventQueue {
    private final Observer observer;
    private final Object lock = new Object();
    private final Queue<Consumer<Observer>> untold = new ArrayDeque<>();

    /** Whether a thread tells what there is. */
    private boolean telling;

    private EventQueue(Observer observer) {
        this.observer = observer;
    }

    /**
     * Notes an event; whoever does {@linkplain #tell tells} it afterwards.
     *
     * @param queue where to, or {@code null} if nothing was noted yet
     * @return the queue, which is made for the first event that somebody wants to hear of
     */
    public static @Nullable EventQueue note(@Nullable EventQueue queue, Observer observer, Consumer<Observer> event) {
        if (!observer.isOn()) {
            return queue;
        }
        EventQueue noted = queue == null ? new EventQueue(observer) : queue;
        synchronized (noted.lock) {
            noted.untold.add(event);
        }
        return noted;
    }

    /** Tells what was noted. Where another thread does that already it goes on with what is new, and this one returns at once. */
    public static void tell(@Nullable EventQueue queue) {
        if (queue != null && queue.begin()) {
            queue.tellAll();
        }
    }

    private boolean begin() {
        synchronized (lock) {
            boolean begins = !telling;
            telling = true;
            return begins;
        }
    }

    private void tellAll() {
        boolean told = false;
        try {
            for (Consumer<Observer> event = next(); event != null; event = next()) {
                event.accept(observer);
            }
            told = true;
        } finally {
            if (!told) {
                synchronized (lock) {
                    telling = false;
                }
            }
        }
    }

    private @Nullable Consumer<Observer> next() {
        synchronized (lock) {
            telling = !untold.isEmpty();
            return untold.poll();
        }
    }
}
