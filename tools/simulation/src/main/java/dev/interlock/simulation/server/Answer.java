// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replies of a server that are neither a number, nor a text, nor {@code null}, nor a list of replies.
 */
public sealed interface Answer {
    /** The reply of a command that returns nothing else. */
    Status OK = new Status("OK");

    /**
     * A status, such as {@code OK}.
     *
     * @param text the status
     */
    record Status(String text) implements Answer {}

    /**
     * An error.
     *
     * @param text its code and its message
     */
    record Failure(String text) implements Answer {
        /**
         * Returns the first word of the message, which tells the kind of error.
         *
         * @return the code
         */
        public String code() {
            int end = text.indexOf(' ');
            return end < 0 ? text : text.substring(0, end);
        }
    }

    /**
     * Returns a reply as client libraries hand it on.
     *
     * @param reply a reply that is no failure
     * @return the same with a text for each status
     */
    static @Nullable Object plain(@Nullable Object reply) {
        if (reply instanceof Status status) {
            return status.text();
        }
        if (reply instanceof List<?> list) {
            List<@Nullable Object> plain = new ArrayList<>(list.size());
            list.forEach(element -> plain.add(plain(element)));
            return plain;
        }
        return reply;
    }
}
