// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

/** A cell did not take its course, because the machine was too busy: what was seen says nothing about the strategy. */
public final class DisturbedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DisturbedException(String message) {
        super("the machine was too busy: " + message);
    }
}
