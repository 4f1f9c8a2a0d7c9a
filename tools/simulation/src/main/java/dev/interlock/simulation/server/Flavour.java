// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

/** The abilities of the servers of one maker and version. */
public enum Flavour {
    /** Redis 7: no command deletes a key only if it has a value. */
    REDIS_7,
    /** Valkey 9, with {@code DELIFEQ}. */
    VALKEY_9
}
