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

    /** The servers as {@link dev.interlock.LockConfig} wants them; may hold passwords. */
    String endpoints();

    /** The version of the first server. */
    String redisVersion();

    /** Returns the number of commands that clients send to the servers during the work. */
    long commands(Runnable work);

    Counting counting();

    /** Returns the memory that the servers use, in bytes, or empty where others may use them too. */
    default OptionalLong usedMemory() {
        return OptionalLong.empty();
    }

    @Override
    void close();
}
