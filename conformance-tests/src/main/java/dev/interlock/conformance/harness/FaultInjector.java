// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.harness;

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
     * Causes a fault. Returns when the fault is in force, or, if it is a single event, when it is over.
     *
     * @param fault one of those that are supported
     * @throws UnsupportedOperationException if it is not supported
     */
    void inject(Fault fault);

    /**
     * Returns whether the reply is lost for which {@link Fault#LOSE_NEXT_REPLY} was injected last; on a backend of
     * several servers, the reply of one of them. Until then the fault may hit any client, so a rule lets only the one
     * act for which it is meant.
     *
     * @return {@code false} from the injection of that fault until it has hit a request
     */
    boolean hasLostReply();

    /** Ends all faults that last. Returns when the backend answers again; has no effect on a healthy one. */
    void heal();
}
