// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import java.util.Objects;

/**
 * Thrown by a {@link Locked @Locked} method that was not run because somebody else had its lock for as long as it
 * waited.
 */
public class LockTakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String lockName;

    /**
     * Creates an exception.
     *
     * @param lockName the name of the lock
     * @param message which method was not run, how long it waited, and what can be done
     */
    public LockTakenException(String lockName, String message) {
        super(message);
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
