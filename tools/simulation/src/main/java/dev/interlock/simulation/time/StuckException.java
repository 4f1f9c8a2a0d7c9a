// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.time;

/** A thread of a simulation has neither waited nor ended for long: it runs without end, or waits unseen. */
public final class StuckException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StuckException(String message) {
        super(message);
    }
}
