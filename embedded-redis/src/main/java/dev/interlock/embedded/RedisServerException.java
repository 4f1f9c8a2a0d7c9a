// SPDX-License-Identifier: Apache-2.0
package dev.interlock.embedded;

import org.jspecify.annotations.Nullable;

/** Thrown when a server cannot be started, cannot be asked, or answers with an error. */
public final class RedisServerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisServerException(String message) {
        super(message);
    }

    RedisServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Whether the message, which is the server's where it answered with an error, contains a text. */
    boolean says(String text) {
        return String.valueOf(getMessage()).contains(text);
    }
}
