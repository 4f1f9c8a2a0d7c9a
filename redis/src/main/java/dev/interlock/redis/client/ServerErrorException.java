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

    /** Returns the same failure for another thread, which it is told with a stack of its own. */
    public ServerErrorException anew() {
        ServerErrorException same = new ServerErrorException(reason(), String.valueOf(getMessage()), error);
        same.initCause(this);
        return same;
    }

    /** Returns what the server said. */
    public ServerError error() {
        return error;
    }
}
