// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import java.util.OptionalLong;

/** The Redis servers that one strategy is measured on. */
public interface Backend extends AutoCloseable {
    /** How {@link #commands} counts. */
    enum Counting {
        MONITOR("those that clients sent, counted by MONITOR; those inside scripts are not counted"),
        COMMAND_STATS(
                "those that the servers carried out, counted by INFO commandstats; those inside scripts and of other clients"
                        + " are counted too");

        private final String explanation;

        Counting(String explanation) {
            this.explanation = explanation;
        }

        public String explanation() {
            return explanation;
        }
    }

    /**
     * Returns the endpoints of the servers, as {@link dev.interlock.LockConfig} takes them. They may contain passwords.
     */
    String endpoints();

    /** Returns the version of the first server. */
    String redisVersion();

    /** Returns the number of commands that clients send to the servers during the work. */
    long commands(Runnable work);

    Counting counting();

    /** Returns the memory that the keys of the servers take, in bytes, or empty where others may have keys there. */
    default OptionalLong keyMemory() {
        return OptionalLong.empty();
    }

    @Override
    void close();
}
