// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

/** A command was refused. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
    static final String SYNTAX = "ERR syntax error";

    CommandException(String message) {
        super(message, null, false, false);
    }
}
