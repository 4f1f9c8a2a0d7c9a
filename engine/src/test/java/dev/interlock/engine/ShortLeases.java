// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;

/**
 * Acquires with leases so short that a machine which stands still ends them before their grants arrive. The engine
 * rightly fails such an acquisition, so it is repeated.
 */
final class ShortLeases {
    private static final int TRIES = 5;

    private ShortLeases() {}

    /** Repeats an acquisition whose lease was over before its grant arrived. */
    static <T> T granted(Callable<T> acquisition) throws InterruptedException {
        RuntimeException tooSlow = null;
        for (int i = 0; i < TRIES; i++) {
            try {
                return acquisition.call();
            } catch (LockBackendException | CompletionException e) {
                tooSlow = e;
            } catch (RuntimeException | InterruptedException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("over each time before its grant arrived", tooSlow);
    }

    /** Locks, and returns the lease; again if that was over before anybody could look at it. */
    static Lease locked(DistributedLock lock) {
        RuntimeException tooSlow = null;
        for (int i = 0; i < TRIES; i++) {
            try {
                lock.lock();
                Optional<Lease> lease = lock.lease();
                if (lease.isPresent()) {
                    return lease.get();
                }
                lock.unlock();
            } catch (LockBackendException | LeaseLostException e) {
                tooSlow = e;
            }
        }
        throw new AssertionError("over each time before anybody looked", tooSlow);
    }
}
