// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import java.util.OptionalLong;
import java.util.concurrent.locks.Lock;

/** A client of another library. Safe for use by several threads. */
interface PeerClient extends BareLocks {
    /** Returns the lock of a name, as an application would get it. */
    Lock lock(String name);

    /** Acquires a lock of this client, and returns its fencing token if it has one. */
    @SuppressWarnings("LockNotBeforeTry") // The caller unlocks.
    default OptionalLong acquire(Lock lock) {
        lock.lock();
        return OptionalLong.empty();
    }

    /**
     * Asks by the library's own means whether the current thread still holds a lock; {@code true} where the library
     * offers no means.
     */
    boolean isHeld(String name, Lock lock);

    /** Returns whether a failed release says that the lock had been lost before. */
    default boolean tellsOfLoss(RuntimeException failure) {
        return failure instanceof IllegalMonitorStateException;
    }

    @Override
    default Object bareLock(String name) {
        return lock(name);
    }

    @Override
    @SuppressWarnings("LockNotBeforeTry") // The caller unlocks.
    default Object acquireBare(Object lock) {
        ((Lock) lock).lock();
        return lock;
    }

    @Override
    default void releaseBare(Object held) {
        ((Lock) held).unlock();
    }
}
