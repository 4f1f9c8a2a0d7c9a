// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import org.jspecify.annotations.Nullable;

/** Thrown when a process that this one started fails; its message says what the process wrote to standard error. */
public final class ChildJvmException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what went wrong
     */
    public ChildJvmException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message what went wrong
     * @param cause why
     */
    public ChildJvmException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
