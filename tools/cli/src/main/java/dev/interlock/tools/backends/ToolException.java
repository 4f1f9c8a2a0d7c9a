// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import org.jspecify.annotations.Nullable;

/** An error that the user can understand by its message alone. */
public final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what went wrong, and what to do
     */
    public ToolException(String message) {
        super(message);
    }

    /**
     * Creates an exception.
     *
     * @param message what went wrong, and what to do
     * @param cause the cause
     */
    public ToolException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
