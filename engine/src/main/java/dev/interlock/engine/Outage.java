// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;
import org.jspecify.annotations.Nullable;

/** Whether the backend answers for a lock, and since when it does not. Guarded by the cell's monitor. */
final class Outage {
    private final String lockName;
    private final Environment env;
    private final Observer observer;

    /** Whether the backend has ever answered. */
    private boolean answered;

    /** The last failure since the last answer, and when the first one came. */
    private @Nullable LockBackendException failure;

    private long sinceNanos;

    Outage(String lockName, Environment env, Observer observer) {
        this.lockName = lockName;
        this.env = env;
        this.observer = observer;
    }

    /** Notes that the backend has answered. */
    void answered() {
        answered = true;
        if (failure != null) {
            failure = null;
            if (observer.isOn()) {
                observer.outageEnded(lockName, env.nanoTime() - sinceNanos);
            }
        }
    }

    /** Notes that the backend has not answered. */
    void failed(LockBackendException cause) {
        if (failure == null) {
            sinceNanos = env.nanoTime();
            if (observer.isOn()) {
                observer.outageBegan(lockName, cause);
            }
        }
        failure = cause;
    }

    /** Returns the last failure, or {@code null} if the backend has answered since. */
    @Nullable
    LockBackendException failure() {
        return failure;
    }

    /**
     * Whether a wait must end with a failure. An outage is ridden out if the backend has answered before, has not said that the
     * request is wrong, and has not failed for as long as a lease.
     */
    boolean isHopeless(LockBackendException cause, long leaseNanos) {
        return cause.reason() == Reason.REFUSED
                || !answered
                || (failure != null && env.nanoTime() - sinceNanos >= leaseNanos);
    }
}
