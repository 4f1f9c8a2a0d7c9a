// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.figures;

import java.util.List;
import java.util.concurrent.locks.Lock;

/** Finds out which locks were lost while they were held. */
public final class LostLocks {
    private LostLocks() {}

    /** Gives all up, and returns how many were not held any more. */
    public static int unlock(List<Lock> locks) {
        int lost = 0;
        for (Lock lock : locks) {
            try {
                lock.unlock();
            } catch (RuntimeException e) {
                // Each library has its own exception for it.
                lost++;
            }
        }
        return lost;
    }
}
