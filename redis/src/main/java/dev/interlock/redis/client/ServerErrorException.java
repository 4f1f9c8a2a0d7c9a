// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;

/** Thrown when a server replied with an error that the code which chooses the server must see. */
public final class ServerErrorException extends LockBackendException {
    private static final long serialVersionUID = 1L;

    private final transient ServerError error;

    ServerErrorException(Reason reason, String message, ServerError error) {
        super(reason, message);
        this.error = error;
    }

    /** Returns the same failure with the stack of the current thread. */
    public ServerErrorException anew() {
        ServerErrorException same = new ServerErrorException(reason(), String.valueOf(getMessage()), error);
        same.initCause(this);
        return same;
    }

    /** Returns the error reply. */
    public ServerError error() {
        return error;
    }
}
