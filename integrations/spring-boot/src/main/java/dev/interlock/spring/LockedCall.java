// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One lock of one call.
 *
 * @param position which of the annotations it is
 * @param method the method that is called
 * @param operation the annotation
 * @param factory has the lock
 * @param lock the lock, with the lease of the annotation
 */
record LockedCall(
        int position,
        LockedMethod method,
        LockedOperation operation,
        DistributedLockFactory factory,
        DistributedLock lock) {
    /** Returns whether another annotation means the same lock. */
    boolean isSameAs(LockedCall other) {
        return factory.equals(other.factory) && lock.name().equals(other.lock.name());
    }

    /** Acquires the lock for the current thread. */
    boolean lockForThread() {
        try {
            if (operation.waitTime().isEmpty()) {
                lock.lockInterruptibly();
                return true;
            }
            Duration wait = operation.waitTime().get();
            return wait.isZero() ? lock.tryLock() : lock.tryLock(nanos(wait), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Acquires the lock for a handle. */
    Optional<LockHandle> lockForHandle() {
        try {
            if (operation.waitTime().isEmpty()) {
                return Optional.of(lock.acquire());
            }
            Duration wait = operation.waitTime().get();
            return wait.isZero() ? lock.tryAcquire() : lock.tryAcquire(wait);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static long nanos(Duration wait) {
        return TimeUnit.NANOSECONDS.convert(wait);
    }

    private LockWaitInterruptedException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LockWaitInterruptedException(
                lock.name(),
                "the wait for lock \"" + lock.name() + "\" was interrupted, so " + method + " was not run",
                cause);
    }

    LockTakenException taken() {
        String waited = operation
                .waitTime()
                .filter(wait -> !wait.isZero())
                .map(wait -> " for the " + wait.toMillis() + " ms that it waits")
                .orElse("");
        return new LockTakenException(
                lock.name(),
                "lock \"" + lock.name() + "\" was taken" + waited + ", so " + method
                        + " was not run: call it again later, or set waitTime, onTaken or fallback of @Locked");
    }
}
