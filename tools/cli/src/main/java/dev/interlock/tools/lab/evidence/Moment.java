// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.evidence;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a cell of the fault lab.
 *
 * @param nanos when, by {@link System#nanoTime}, which the processes of a machine share
 * @param who a client, or the lab
 * @param what what happened
 * @param token the fencing token that goes with it
 * @param writes the outcome of a write
 * @param detail more about it, for people
 * @param endNanos when the client's lease ended by its own account, which may be before the client noticed
 */
public record Moment(
        long nanos,
        String who,
        What what,
        @Nullable Long token,
        @Nullable StoreWrites writes,
        @Nullable String detail,
        @Nullable Long endNanos) {
    /** Returns an event that happens now. */
    public static Moment now(String who, What what, @Nullable Long token, @Nullable String detail) {
        return new Moment(System.nanoTime(), who, what, token, null, detail, null);
    }

    /** Returns the event that a holder notices now that its lease has ended. */
    public static Moment loss(String who, What what, @Nullable Long token, @Nullable String detail, long endNanos) {
        return new Moment(System.nanoTime(), who, what, token, null, detail, endNanos);
    }

    /** The kinds of events. */
    public enum What {
        /** A client is ready for its first step. */
        READY,
        /** A client asks for the lock. */
        ASKED,
        /** A request for the lock failed; the client asks again. */
        REFUSED,
        /** A client was granted the lock. */
        GRANTED,
        /** A holder read both stores. */
        READ,
        /** A holder looked at its lease, which was valid. */
        LOOKED_VALID,
        /** A holder looked at its lease, which was not valid, and refrains from writing. */
        LOOKED_LOST,
        /** A holder wrote to both stores. */
        WROTE,
        /** A holder was told of the loss of its lease. */
        TOLD,
        /** A holder begins to give the lock back. */
        RELEASING,
        /** A holder gave the lock back. */
        RELEASED,
        /** A holder learnt at the release that it had lost the lock. */
        NOT_RELEASED,
        /** The process of a client was killed. */
        KILLED,
        /** The fault struck. */
        STRUCK,
        /** The fault was lifted, or a part of it. */
        HEALED
    }
}
