// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.util.Objects;

/**
 * Thrown to a holder that has lost its lease.
 *
 * <p>A plain {@link IllegalMonitorStateException} means that the caller never held the lock. This exception means that
 * the caller did hold it, and that from some moment on another holder was possible.
 */
public class LeaseLostException extends IllegalMonitorStateException {
    private static final long serialVersionUID = 1L;

    /** The name of the lock. */
    private final String lockName;
    /** Why the lease ended. */
    private final LossCause lossCause;

    /**
     * Creates an exception for a lease that was lost.
     *
     * @param lockName the name of the lock
     * @param lossCause why the lease ended
     */
    public LeaseLostException(String lockName, LossCause lossCause) {
        super("the lease of lock \"" + Objects.requireNonNull(lockName, "lockName") + "\" was lost: "
                + lossCause.summary());
        this.lockName = lockName;
        this.lossCause = lossCause;
    }

    /**
     * Returns the name of the lock.
     *
     * @return the name of the lock
     */
    public String lockName() {
        return lockName;
    }

    /**
     * Returns why the lease ended.
     *
     * @return the cause of the loss
     */
    public LossCause lossCause() {
        return lossCause;
    }
}
