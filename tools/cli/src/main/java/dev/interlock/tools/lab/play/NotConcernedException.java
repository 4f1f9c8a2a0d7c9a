// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

/** A fault cannot strike a strategy, because what it strikes never happens there. */
public final class NotConcernedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotConcernedException(String message) {
        super(message);
    }
}
