// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

/**
 * An error that a server gave for a reply.
 *
 * @param text what the server said, which may repeat arguments of the command
 */
record ServerError(String text) {
    /** Whether it says that the server does not know a script. */
    boolean isNoScript() {
        return text.startsWith("NOSCRIPT");
    }

    /** Whether it says that a key holds something of another type. */
    boolean isWrongType() {
        return text.startsWith("WRONGTYPE");
    }
}
