// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

/** Is told of the events on the network and on the server. */
public interface SimulationObserver {
    /**
     * Returns whether events are noted, which takes time to put into words.
     *
     * @return whether {@link #note} has an effect
     */
    boolean isTracing();

    /**
     * An event for the trace.
     *
     * @param who the client or server that caused it
     * @param what the event, in words
     */
    void note(String who, String what);

    /**
     * A fault has had an effect.
     *
     * @param fault its name
     */
    void faultHadEffect(String fault);
}
