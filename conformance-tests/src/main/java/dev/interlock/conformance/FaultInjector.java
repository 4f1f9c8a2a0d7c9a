// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.time.Duration;
import java.util.Set;

/** Makes a backend fail. Implementations must be safe to use from any thread. */
public interface FaultInjector {
    /** How late answers arrive under {@link Fault#DELAY}. */
    Duration DELAY = Duration.ofMillis(250);

    /**
     * Returns which faults this injector can cause.
     *
     * @return the faults, always the same
     */
    Set<Fault> supported();

    /**
     * Causes a fault. Returns when it is in force, or, where it does not last, when it is over.
     *
     * @param fault one of those that are supported
     * @throws UnsupportedOperationException if it is not supported
     */
    void inject(Fault fault);

    /** Ends all faults that last. Returns when the backend answers again; has no effect on a healthy one. */
    void heal();
}
