// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.util.Objects;

/**
 * Thrown when the servers behind a lock cannot be reached, refuse a request, or do not answer it in time.
 *
 * <p>It never means that somebody else holds the lock, and its message never carries a password or an owner token. When
 * it is thrown by an acquisition, the caller does not hold the lock, and whatever the acquisition may have left on a
 * server is being removed in the background.
 */
public class LockBackendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The conclusion that the caller may draw about the request. */
    public enum Reason {
        /**
         * The request was not carried out, because no server could be reached or none was ready. It may be repeated.
         */
        UNREACHABLE,
        /** The request was not carried out, because a server rejected it. Repeating it is of no use. */
        REFUSED,
        /** The request was sent and no answer came: it may have been carried out, or may yet be. */
        OUTCOME_UNKNOWN
    }

    /** The conclusion that the caller may draw. */
    private final Reason reason;

    /**
     * Creates an exception with a cause.
     *
     * @param reason what the caller may conclude about the request
     * @param message what happened and what can be done about it, without secrets
     * @param cause the client library's exception
     */
    public LockBackendException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /**
     * Creates an exception without a cause.
     *
     * @param reason what the caller may conclude about the request
     * @param message what happened and what can be done about it, without secrets
     */
    public LockBackendException(Reason reason, String message) {
        super(message);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /**
     * Returns what the caller may conclude about the request.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
