// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One line of a history: a call on a lock began, or its outcome became known.
 *
 * @param sequence the position among the events of one {@link Recorder}
 * @param nanos when it happened, by {@link System#nanoTime}. On the usual systems processes of one machine share that
 *     clock, so that their histories can be judged together; those of two machines cannot. At {@link Op#LOST}, the last
 *     moment at which the lock is known to have been held; it concerns no call that began later
 * @param process the thread or handle that makes the call, under a name that is unique in the history, such as {@code
 *     client-2/thread-3}. It makes one call after another
 * @param type whether the call began, or how it ended
 * @param op the call
 * @param lock the name of the lock
 * @param fence the fencing token, at an {@link Op#ACQUIRE} that succeeded or an {@link Op#LOST}, if there is one
 * @param validNanos at an {@link Op#ACQUIRE} that succeeded, for how long after {@code nanos} the lease was valid, as
 *     the holder was told; absent if the lease is renewed. That of a hold's first acquisition counts: to acquire a lock
 *     again prolongs no lease
 * @param error the simple name of the exception, if one was thrown; never its message
 */
public record Event(
        long sequence,
        long nanos,
        String process,
        Type type,
        Op op,
        String lock,
        OptionalLong fence,
        OptionalLong validNanos,
        Optional<String> error) {
    /** The beginning of a call, or its outcome. */
    public enum Type {
        /** The call began. */
        INVOKE,
        /** The call succeeded. */
        OK,
        /** The call did not succeed, and had no effect. */
        FAIL,
        /** The call ended, and it is not known whether it had an effect or will have one. */
        UNKNOWN
    }

    /** The operation of a lock that was called. */
    public enum Op {
        /** To be granted the lock, or to be granted it once more. */
        ACQUIRE,
        /** To undo one acquisition. */
        RELEASE,
        /**
         * No call: the holder was told, or found, that its lease is lost. Always {@link Type#OK}, and without an
         * invocation.
         */
        LOST
    }

    /** Creates an event. */
    public Event {
        Objects.requireNonNull(process, "process");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(op, "op");
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(fence, "fence");
        Objects.requireNonNull(validNanos, "validNanos");
        Objects.requireNonNull(error, "error");
    }
}
