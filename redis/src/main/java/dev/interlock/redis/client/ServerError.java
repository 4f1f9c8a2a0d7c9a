// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import java.util.List;

/**
 * An error that a server gave for a reply.
 *
 * @param text what the server said, which may repeat arguments of the command
 */
public record ServerError(String text) {
    /** What a replica says to whoever wants to write. */
    static final ServerError READ_ONLY = new ServerError("READONLY");

    /** What a server says that is not, or not now, the one to ask. */
    private static final List<String> ABOUT_SERVER = List.of(
            "LOADING",
            "MASTERDOWN",
            "READONLY",
            "CLUSTERDOWN",
            "ERR max number of clients",
            "ERR WAIT cannot be used with replica",
            "ERR WAITAOF cannot be used with replica");

    /** What a server says that cannot do it just now. */
    private static final List<String> PASSING =
            List.of("BUSY", "TRYAGAIN", "NOREPLICAS", "OOM", "MISCONF", "MOVED", "ASK ");

    /** Whether it says that another server, or another process, may be the one to ask. */
    public boolean isAboutServer() {
        return ABOUT_SERVER.stream().anyMatch(text::startsWith);
    }

    /** Whether it may be over later: nothing was done, and it does not say that the request is wrong. */
    public boolean isPassing() {
        return isAboutServer() || PASSING.stream().anyMatch(text::startsWith);
    }

    /** Whether it says that another node of the cluster is responsible for the slot now. */
    public boolean isMoved() {
        return text.startsWith("MOVED ");
    }

    /** Whether it says that another node of the cluster, which is about to get the slot, is the one to ask this time. */
    public boolean isAsk() {
        return text.startsWith("ASK ");
    }

    /** Whether it says that the keys of a slot are just being moved from one node to another. */
    public boolean isTryAgain() {
        return text.startsWith("TRYAGAIN");
    }

    /** Whether it says that a server in cluster mode was sent keys of different slots together. */
    public boolean isCrossSlot() {
        return text.startsWith("CROSSSLOT");
    }

    /** Whether it says that the server does not know a script. */
    public boolean isNoScript() {
        return text.startsWith("NOSCRIPT");
    }

    /** Whether it says that the server does not know a command. */
    public boolean isUnknownCommand() {
        return text.startsWith("ERR unknown command");
    }

    /** Whether it says that a key holds something of another type. */
    public boolean isWrongType() {
        return text.startsWith("WRONGTYPE");
    }
}
