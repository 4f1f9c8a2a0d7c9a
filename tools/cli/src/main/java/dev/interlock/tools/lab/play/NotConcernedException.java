// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

/** Thrown if a fault cannot affect a strategy, because the event that it disturbs never happens there. */
public final class NotConcernedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotConcernedException(String message) {
        super(message);
    }
}
