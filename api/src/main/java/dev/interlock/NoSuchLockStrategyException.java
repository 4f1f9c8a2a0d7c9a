// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import java.util.List;
import java.util.Objects;

/** Thrown when a strategy is asked for that is not installed; the message lists those that are. */
public class NoSuchLockStrategyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The name that was asked for. */
    private final String strategy;

    /**
     * Creates an exception for a name that no installed provider has.
     *
     * @param strategy the name that was asked for
     * @param installed the names that are installed
     */
    public NoSuchLockStrategyException(String strategy, List<String> installed) {
        super("no lock strategy \"" + Objects.requireNonNull(strategy, "strategy") + "\" is installed; "
                + (installed.isEmpty()
                        ? "none is: add the artifact of one, dev.interlock:interlock-strategy-" + strategy
                                + " perhaps, to the class path or module path"
                        : "installed: " + String.join(", ", installed)));
        this.strategy = strategy;
    }

    /**
     * Returns the name that was asked for.
     *
     * @return the name that was asked for
     */
    public String strategy() {
        return strategy;
    }
}
