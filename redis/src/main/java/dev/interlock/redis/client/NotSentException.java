// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

/**
 * Thrown when a connection turns out to be broken before a command has left in full, so that it cannot be carried out.
 */
public final class NotSentException extends Exception {
    private static final long serialVersionUID = 1L;

    public NotSentException(Throwable cause) {
        super(cause);
    }
}
