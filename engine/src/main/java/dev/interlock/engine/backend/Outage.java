// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.observe.Observer;

/** A time in which the backend does not answer for a lock. Guarded by the cell's monitor. */
public final class Outage {
    private final String lockName;
    private final Environment env;
    private final Observer observer;
    private final long sinceNanos;
    private LockBackendException failure;

    /** Begins with its first failure. */
    public Outage(String lockName, Environment env, Observer observer, LockBackendException failure) {
        this.lockName = lockName;
        this.env = env;
        this.observer = observer;
        this.sinceNanos = env.nanoTime();
        this.failure = failure;
        if (observer.isOn()) {
            observer.outageBegan(lockName, failure);
        }
    }

    /** Notes another failure. */
    public void failed(LockBackendException cause) {
        failure = cause;
    }

    /** Notes that the backend has answered. */
    public void ended() {
        if (observer.isOn()) {
            observer.outageEnded(lockName, nanos());
        }
    }

    /** Returns the last failure. */
    public LockBackendException failure() {
        return failure;
    }

    /** Returns how long it has lasted. */
    public long nanos() {
        return env.nanoTime() - sinceNanos;
    }
}
