// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

/**
 * The locks of one client as its library hands them out, without what the tools add to use every library in the same
 * way. For the measuring of memory, in which that would be counted.
 */
public interface BareLocks extends AutoCloseable {
    /** Returns what an application uses to acquire the lock of a name. */
    Object bareLock(String name);

    /**
     * Acquires a lock, for which it may have to wait.
     *
     * @return what an application keeps to release it
     */
    Object acquireBare(Object lock);

    /** Releases a lock that was acquired. */
    void releaseBare(Object held);

    @Override
    void close();
}
