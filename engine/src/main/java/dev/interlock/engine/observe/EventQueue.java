// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Events that are noted within a monitor and told outside of it, one after another, in the order in which they were
 * noted. Safe to use from any thread.
 */
public final class EventQueue {
    private final Observer observer;
    private final Object lock = new Object();
    private final Queue<Consumer<Observer>> untold = new ArrayDeque<>();

    /** Whether a thread is delivering events. */
    private boolean telling;

    private EventQueue(Observer observer) {
        this.observer = observer;
    }

    /**
     * Notes an event, which the caller must {@linkplain #tell deliver} afterwards.
     *
     * @param queue the queue, or {@code null} if nothing was noted yet
     * @return the queue, which is created for the first event that has a listener
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

    /**
     * Delivers the noted events. If another thread is delivering already, that thread also delivers the new ones, and
     * this call returns at once.
     */
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
