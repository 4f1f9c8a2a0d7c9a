// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;

/**
 * A client of a candidate, as one process of an application would have it.
 *
 * @param locks returns the lock of a name
 * @param readWriteLocks returns the read/write lock of a name
 * @param severals returns one lock over several names
 * @param closer closes the client
 */
public record LockClient(
        Function<String, Lock> locks,
        Function<String, ReadWriteLock> readWriteLocks,
        Function<List<String>, Lock> severals,
        Runnable closer)
        implements AutoCloseable {
    /** Makes a client that has neither read/write locks nor locks over several names. */
    public LockClient(Function<String, Lock> locks, Runnable closer) {
        this(
                locks,
                name -> {
                    throw new UnsupportedOperationException("this candidate has no read/write locks");
                },
                names -> {
                    throw new UnsupportedOperationException("this candidate has no locks over several names");
                },
                closer);
    }

    public Lock lock(String name) {
        return locks.apply(name);
    }

    public ReadWriteLock readWriteLock(String name) {
        return readWriteLocks.apply(name);
    }

    public Lock lock(List<String> names) {
        return severals.apply(names);
    }

    @Override
    public void close() {
        closer.run();
    }
}
