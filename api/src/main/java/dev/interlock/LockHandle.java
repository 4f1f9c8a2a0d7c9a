// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

/**
 * A hold of a lock that belongs to no thread: any thread may use and close the handle.
 *
 * <p>Made by {@link DistributedLock#acquire} and {@link DistributedLock#tryAcquire}, and to be closed exactly once,
 * best by {@code try} with resources. Handles are safe to use from any thread.
 */
public interface LockHandle extends Lease, AutoCloseable {
    /**
     * Releases the lock. May be called by any thread; closing a closed handle has no effect.
     *
     * <p>Waits for the answer of the backend, at most one command time-out; interrupts are ignored and preserved. If
     * the backend cannot be reached, this method returns normally: the release is repeated in the background, and the
     * lease ends by itself.
     *
     * @throws LeaseLostException if the lease was lost before; thrown to the first call only
     */
    @Override
    void close();
}
