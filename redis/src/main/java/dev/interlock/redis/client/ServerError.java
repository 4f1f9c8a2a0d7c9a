// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import java.util.List;

/**
 * An error reply of a server.
 *
 * @param text what the server said, which may repeat arguments of the command
 */
public record ServerError(String text) {
    /** The reply of a replica to a write. */
    static final ServerError READ_ONLY = new ServerError("READONLY");

    /** Error codes of a server that is not, or not now, responsible. */
    private static final List<String> ABOUT_SERVER = List.of(
            "LOADING",
            "MASTERDOWN",
            "READONLY",
            "CLUSTERDOWN",
            "ERR max number of clients",
            "ERR WAIT cannot be used with replica",
            "ERR WAITAOF cannot be used with replica");

    /** Error codes of a temporary condition. */
    private static final List<String> PASSING =
            List.of("BUSY", "TRYAGAIN", "NOREPLICAS", "OOM", "MISCONF", "MOVED", "ASK ");

    /** Returns whether it says that another server, or another process, may be the one to ask. */
    public boolean isAboutServer() {
        return ABOUT_SERVER.stream().anyMatch(text::startsWith);
    }

    /** Returns whether it may be over later: nothing was done, and it does not say that the request is wrong. */
    public boolean isPassing() {
        return isAboutServer() || PASSING.stream().anyMatch(text::startsWith);
    }

    /** Returns whether it says that another node of the cluster is responsible for the slot now. */
    public boolean isMoved() {
        return text.startsWith("MOVED ");
    }

    /**
     * Returns whether it says that another node of the cluster, which is about to get the slot, is the one to ask this
     * time.
     */
    public boolean isAsk() {
        return text.startsWith("ASK ");
    }

    /** Returns whether it says that the keys of a slot are just being moved from one node to another. */
    public boolean isTryAgain() {
        return text.startsWith("TRYAGAIN");
    }

    /** Returns whether it says that a server in cluster mode was sent keys of different slots together. */
    public boolean isCrossSlot() {
        return text.startsWith("CROSSSLOT");
    }

    /** Returns whether it says that the server does not know a script. */
    public boolean isNoScript() {
        return text.startsWith("NOSCRIPT");
    }

    /** Returns whether it says that the server does not know a command. */
    public boolean isUnknownCommand() {
        return text.startsWith("ERR unknown command");
    }

    /** Returns whether it says that a key holds something of another type. */
    public boolean isWrongType() {
        return text.startsWith("WRONGTYPE");
    }
}
