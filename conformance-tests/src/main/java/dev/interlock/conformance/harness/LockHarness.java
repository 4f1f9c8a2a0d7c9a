// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.harness;

import dev.interlock.LockConfig;
import dev.interlock.spi.LockStrategyProvider;
import java.util.Optional;

/**
 * The environment in which the kit tests a strategy: its provider, and a backend to run it on.
 *
 * <p>The kit asks for a new harness before each test and closes it afterwards, so a backend that a test broke can be
 * thrown away or repaired in between. Before it asks for anything else, the kit looks at the provider's profile, {@link
 * #faults()} and {@link #reachableFromOtherProcesses()}, and skips a rule because of them: a harness that starts its
 * backend only in {@link #config()} then needs no backend. Names of locks are never used twice. Harnesses must be safe
 * to use from any thread.
 */
public interface LockHarness extends AutoCloseable {
    /**
     * Returns the provider under test. For the rules about several processes its class must have a public constructor
     * without parameters.
     *
     * @return the provider
     */
    LockStrategyProvider provider();

    /**
     * Returns the configuration of a client of the backend. Factories that are made from it are clients of their own,
     * and all configurations that one harness returns lead to the same locks.
     *
     * @return the configuration, of which the kit changes only settings that all strategies have
     */
    LockConfig config();

    /**
     * Returns the injector that makes the backend fail. Rules about faults that it cannot cause are skipped.
     *
     * @return the injector, the same on each call, or empty if there is none
     */
    default Optional<FaultInjector> faults() {
        return Optional.empty();
    }

    /**
     * Tells whether a client in another process finds the same locks by {@link #config()}. Rules about several
     * processes are skipped otherwise.
     *
     * @return {@code true} if it does
     */
    default boolean reachableFromOtherProcesses() {
        return false;
    }

    /** Ends the backend, or repairs it for the next test. */
    @Override
    default void close() {}
}
