// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

/** The abilities of the servers of one maker and version. */
public enum Flavour {
    /** Redis 7.0: no command deletes a key only if it has a value, and the clock goes on while a script runs. */
    REDIS_7("7.0.15"),
    /** Valkey 9, with {@code DELIFEQ}, and a clock that stands still while a script runs. */
    VALKEY_9("7.2.4");

    private final String redisVersion;

    Flavour(String redisVersion) {
        this.redisVersion = redisVersion;
    }

    /**
     * Returns what {@code INFO} tells as the version of Redis.
     *
     * @return the version that the server is compatible with
     */
    public String redisVersion() {
        return redisVersion;
    }
}
