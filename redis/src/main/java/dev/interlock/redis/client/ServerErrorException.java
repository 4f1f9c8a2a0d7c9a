// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;

/** Thrown where a server replied with an error, which those who choose the server need to see. */
public final class ServerErrorException extends LockBackendException {
    private static final long serialVersionUID = 1L;

    private final transient ServerError error;

    ServerErrorException(Reason reason, String message, ServerError error) {
        super(reason, message);
        this.error = error;
    }

    /** Returns what the server said. */
    public ServerError error() {
        return error;
    }
}
