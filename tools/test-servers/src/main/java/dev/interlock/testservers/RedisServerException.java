// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import org.jspecify.annotations.Nullable;

/** Thrown when a server cannot be started, cannot be asked, or answers with an error. */
public final class RedisServerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what went wrong, or the error that a server answered with
     */
    public RedisServerException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message what went wrong
     * @param cause why
     */
    public RedisServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Returns whether the message contains a text. The message is that of the server if it replied with an error. */
    boolean says(String text) {
        return String.valueOf(getMessage()).contains(text);
    }
}
