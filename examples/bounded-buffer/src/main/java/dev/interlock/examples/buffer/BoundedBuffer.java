// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A buffer of limited size, as it is written for {@link java.util.concurrent.locks.ReentrantLock}. Nothing in it knows
 * of processes: with a lock of Interlock, and items in a store that all processes share, its threads may belong to any
 * number of processes.
 */
public final class BoundedBuffer {
    private final Lock lock;
    private final Condition notFull;
    private final Condition notEmpty;
    private final Items items;

    /**
     * Creates a buffer.
     *
     * @param lock guards the items
     * @param items the items, which other threads change only through buffers with the same lock
     */
    public BoundedBuffer(Lock lock, Items items) {
        this.lock = lock;
        this.notFull = lock.newCondition();
        this.notEmpty = lock.newCondition();
        this.items = items;
    }

    /** Adds an item as soon as there is room for it. */
    public void put(String item) throws InterruptedException {
        lock.lock();
        try {
            while (items.isFull()) {
                notFull.await();
            }
            items.add(item);
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the oldest item as soon as there is one. */
    public String take() throws InterruptedException {
        lock.lock();
        try {
            while (items.isEmpty()) {
                notEmpty.await();
            }
            String item = items.remove();
            notFull.signal();
            return item;
        } finally {
            lock.unlock();
        }
    }
}
