// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.readwrite;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.LockOptions;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.LockSide.Access;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** The read/write locks of a factory. Safe to use from any thread. */
public final class ReadWriteLocks {
    private final BiFunction<String, LockOptions, DistributedLock> locks;
    private final Predicate<String> isHeld;
    private final AtomicLong handles = new AtomicLong();

    /**
     * Creates the read/write locks of a factory.
     *
     * @param locks returns the engine's lock of a key, or throws if the factory is closed
     * @param isHeld tells whether the current thread holds the lock of a key, without any other effect
     */
    public ReadWriteLocks(BiFunction<String, LockOptions, DistributedLock> locks, Predicate<String> isHeld) {
        this.locks = locks;
        this.isHeld = isHeld;
    }

    /**
     * Returns the read/write lock of a name.
     *
     * @param name the name, which a lock may have
     * @param options how acquisitions of both sides behave
     * @return the lock
     */
    public DistributedReadWriteLock get(String name, LockOptions options) {
        return new Sides(
                name, new SideLock(this, Access.READ, name, options), new SideLock(this, Access.WRITE, name, options));
    }

    private record Sides(String name, DistributedLock readLock, DistributedLock writeLock)
            implements DistributedReadWriteLock {
        @Override
        public String toString() {
            return "DistributedReadWriteLock[" + name + "]";
        }
    }

    /** The key of a side for the current thread. */
    static String keyOfThread(Access access, String name) {
        return new LockSide(access, "t" + Thread.currentThread().getId(), name).key();
    }

    /** Returns whether the current thread holds a side. */
    boolean isHeld(Access access, String name) {
        return isHeld.test(keyOfThread(access, name));
    }

    /** A side for the current thread. */
    DistributedLock ofThread(Access access, String name, LockOptions options) {
        return locks.apply(keyOfThread(access, name), options);
    }

    /** A side for a handle that is to be acquired. */
    DistributedLock ofHandle(Access access, String name, LockOptions options) {
        return locks.apply(new LockSide(access, "h" + handles.incrementAndGet(), name).key(), options);
    }
}
