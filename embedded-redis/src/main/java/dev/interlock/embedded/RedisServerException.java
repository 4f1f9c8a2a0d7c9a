// SPDX-License-Identifier: Apache-2.0
package dev.interlock.embedded;

/** Thrown when a server cannot be started, cannot be asked, or answers with an error. */
public final class RedisServerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisServerException(String message) {
        super(message);
    }

    RedisServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
