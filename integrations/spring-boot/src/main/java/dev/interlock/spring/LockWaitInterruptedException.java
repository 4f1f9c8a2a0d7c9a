// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.util.Objects;

/**
 * Thrown by a {@link Locked @Locked} method that was not run because its thread was interrupted while it waited for the
 * lock. The interrupt status of the thread is set.
 */
public class LockWaitInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String lockName;

    /**
     * Creates an exception.
     *
     * @param lockName the name of the lock
     * @param message which method was not run
     * @param cause what ended the wait
     */
    public LockWaitInterruptedException(String lockName, String message, InterruptedException cause) {
        super(message, cause);
        this.lockName = Objects.requireNonNull(lockName, "lockName");
    }

    /**
     * Returns the name of the lock.
     *
     * @return the name of the lock
     */
    public String lockName() {
        return lockName;
    }
}
