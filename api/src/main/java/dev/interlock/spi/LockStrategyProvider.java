// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import java.util.List;

/**
 * The service interface of a strategy: how {@link DistributedLocks} finds an algorithm, learns what it promises, and
 * obtains locks from it.
 *
 * <p>A provider is a public final class with a public constructor without parameters that does nothing but return. It
 * is made known twice, so that it is found on the module path and on the class path: by {@code provides} in the module
 * descriptor, and in {@code META-INF/services/dev.interlock.spi.LockStrategyProvider}.
 *
 * <p>Implementations must be safe to use from any thread.
 */
public interface LockStrategyProvider {
    /**
     * Returns the name of the strategy: lower-kebab case, exact, and the same for the life of the provider.
     *
     * @return the name, which matches {@code [a-z][a-z0-9]*(-[a-z0-9]+)*}
     */
    String name();

    /**
     * Returns what the strategy promises and assumes in its default configuration. Does no I/O.
     *
     * @return the profile; that of a factory may promise less, see {@link DistributedLockFactory#profile()}
     */
    StrategyProfile profile();

    /**
     * Returns the options that this strategy alone knows. {@link DistributedLocks} refuses all others.
     *
     * @return the options; an empty list if there is none
     */
    List<StrategyOption> options();

    /**
     * Creates a factory of locks. Does not wait for a server: whether one can be reached shows when a lock is acquired.
     *
     * @param config the configuration, whose options have been checked against {@link #options()}
     * @return a new factory, which the caller must close
     * @throws IllegalArgumentException if the configuration lacks what the strategy needs, or the value of an option
     *     makes no sense; the message says what to change
     */
    DistributedLockFactory newFactory(LockConfig config);
}
