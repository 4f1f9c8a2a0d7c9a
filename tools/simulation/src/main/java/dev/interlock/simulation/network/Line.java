// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.network;

import dev.interlock.simulation.server.ModelSession;
import dev.interlock.simulation.server.RedisModel;
import org.jspecify.annotations.Nullable;

/** One connection of a client to a process of the server. */
final class Line {
    /** The process of the server that it leads to. */
    final int process;

    /** Whether the client has noticed that it has ended. */
    boolean broken;

    /** Whether messages on the way to the server are lost. */
    boolean deaf;

    /** Whether messages on the way to the client are lost. */
    boolean mute;

    private @Nullable ModelSession session;
    private long lastArrival;
    private long lastReturn;

    Line(int process) {
        this.process = process;
    }

    /** Returns the server's side of it. */
    ModelSession session(RedisModel model) {
        ModelSession present = session;
        if (present == null) {
            present = model.session();
            session = present;
        }
        return present;
    }

    /** Returns whether the client reads what arrives over it. */
    boolean isRead() {
        return !broken && !mute;
    }

    /**
     * Returns when a message to the server arrives: at the given time, and not before earlier messages.
     */
    long arrival(long earliest) {
        lastArrival = Math.max(earliest, lastArrival + 1);
        return lastArrival;
    }

    /** Returns when a message to the client arrives: at the given time, and not before earlier messages. */
    long returned(long earliest) {
        lastReturn = Math.max(earliest, lastReturn + 1);
        return lastReturn;
    }
}
