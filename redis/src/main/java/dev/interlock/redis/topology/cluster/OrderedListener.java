// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology.cluster;

import dev.interlock.redis.RedisNode;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Delivers events to one listener in the order in which they were added, by whatever thread: the last event that it
 * receives must be the last that happened. Safe to use from any thread.
 */
final class OrderedListener {
    private static final System.Logger LOG = System.getLogger(OrderedListener.class.getName());

    private final RedisNode.Listener listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Consumer<RedisNode.Listener>> untold = new ArrayDeque<>();

    /** Whether a thread is delivering events; it also delivers those that are added meanwhile. */
    private boolean telling;

    OrderedListener(RedisNode.Listener listener) {
        this.listener = listener;
    }

    /** Adds an event for the next {@link #tell}. Does not block. */
    void add(Consumer<RedisNode.Listener> event) {
        lock.lock();
        try {
            untold.add(event);
        } finally {
            lock.unlock();
        }
    }

    /** Delivers the events that were added, unless another thread is doing so already. */
    void tell() {
        boolean first = true;
        while (true) {
            Consumer<RedisNode.Listener> next;
            lock.lock();
            try {
                if (first && telling) {
                    return;
                }
                next = untold.poll();
                telling = next != null;
            } finally {
                lock.unlock();
            }
            if (next == null) {
                return;
            }
            first = false;
            try {
                next.accept(listener);
            } catch (Throwable e) {
                // The events behind it must be delivered nevertheless.
                LOG.log(Level.WARNING, "a listener failed", e);
            }
        }
    }
}
