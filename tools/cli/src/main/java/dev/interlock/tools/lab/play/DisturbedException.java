// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

/**
 * Thrown if a cell did not keep to its time plan because the machine was too busy. Its evidence says nothing about the
 * strategy.
 */
public final class DisturbedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DisturbedException(String message) {
        super("the machine was too busy: " + message);
    }
}
