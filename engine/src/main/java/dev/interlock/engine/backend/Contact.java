// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import org.jspecify.annotations.Nullable;

/**
 * Whether the backend answers for a lock: not asked yet, answering, or in an outage since its first failure. Immutable.
 */
public final class Contact {
    public static final Contact NONE = new Contact(false, 0, null);
    public static final Contact ANSWERING = new Contact(true, 0, null);

    private final boolean hasAnswered;
    private final long sinceNanos;
    private final @Nullable LockBackendException failure;

    private Contact(boolean hasAnswered, long sinceNanos, @Nullable LockBackendException failure) {
        this.hasAnswered = hasAnswered;
        this.sinceNanos = sinceNanos;
        this.failure = failure;
    }

    /** Returns the contact after a failure, which begins or continues an outage. */
    public Contact failed(Environment env, LockBackendException cause) {
        return new Contact(hasAnswered, isOutage() ? sinceNanos : env.nanoTime(), cause);
    }

    public boolean isOutage() {
        return failure != null;
    }

    /** Returns the last failure since the last answer of the backend, if there is one. */
    public @Nullable LockBackendException failure() {
        return failure;
    }

    /** Returns how long the outage has lasted. */
    public long outageNanos(Environment env) {
        return env.nanoTime() - sinceNanos;
    }

    /**
     * Returns whether a wait with this lease must end with a failure. The wait goes on during an outage if the backend
     * has answered before, has not said that the request is wrong, and the outage has not lasted for as long as a
     * lease.
     *
     * @param answered whether the backend has answered the waiting thread before, for this lock or for another one
     */
    public boolean isHopeless(Environment env, LockBackendException cause, long leaseNanos, boolean answered) {
        return cause.reason() == Reason.REFUSED
                || !(hasAnswered || answered)
                || (isOutage() && outageNanos(env) >= leaseNanos);
    }
}
