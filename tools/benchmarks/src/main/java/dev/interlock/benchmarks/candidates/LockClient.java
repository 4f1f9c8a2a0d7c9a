// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.util.concurrent.locks.Lock;
import java.util.function.Function;

/**
 * A client of a candidate, as one process of an application would have it.
 *
 * @param locks returns the lock of a name
 * @param closer closes the client
 */
public record LockClient(Function<String, Lock> locks, Runnable closer) implements AutoCloseable {
    public Lock lock(String name) {
        return locks.apply(name);
    }

    @Override
    public void close() {
        closer.run();
    }
}
