// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import dev.interlock.LockConfig;

/** Opens the inspection of a strategy's locks. Found by {@link java.util.ServiceLoader}. */
public interface LockInspectionProvider {
    /**
     * Returns the name of the strategy.
     *
     * @return the name, such as {@code set-nx-px}
     */
    String strategy();

    /**
     * Opens an inspection. Asks no server anything yet.
     *
     * @param config the endpoints, the prefix of keys and the command time-out; options are those of the strategy
     * @return the inspection, which the caller must close
     * @throws IllegalArgumentException if the configuration cannot be used; the message says what to do
     */
    LockInspection open(LockConfig config);
}
