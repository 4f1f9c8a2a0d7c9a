// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

/** Told of what happens on the way and on the server. */
public interface Happenings {
    /**
     * Something happened that can be read in a trace.
     *
     * @param who who did it
     * @param what what it was
     */
    void note(String who, String what);

    /**
     * A fault has had an effect.
     *
     * @param fault its name
     */
    void bit(String fault);
}
