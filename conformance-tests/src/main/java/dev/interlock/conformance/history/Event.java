// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One line of a history: somebody began a call on a lock, or was told its outcome.
 *
 * @param sequence the position in what one {@link Recorder} took down
 * @param nanos when it happened, by {@link System#nanoTime}. On the usual systems processes of one machine share that clock, so
 *     that their histories can be judged together; those of two machines cannot. At {@link Op#LOST}, the last moment at
 *     which the lock is known to have been held
 * @param process who: the holder that the lock knows, a thread or a handle, under a name of its own in the whole history, such
 *     as {@code client-2/thread-3}. It makes one call after another
 * @param type what became of the call
 * @param op the call
 * @param lock the name of the lock
 * @param fence the fencing token, at an {@link Op#ACQUIRE} that succeeded or an {@link Op#LOST}, if there is one
 * @param validNanos at an {@link Op#ACQUIRE} that succeeded, for how long from {@code nanos} on the lease was valid as it was
 *     told then; absent where the lease is renewed
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
    /** What became of a call. */
    public enum Type {
        /** It began. */
        INVOKE,
        /** It succeeded. */
        OK,
        /** It did not succeed, and had no effect. */
        FAIL,
        /** It ended, and whether it had an effect, or will have one, is open. */
        UNKNOWN
    }

    /** What was asked of a lock. */
    public enum Op {
        /** To be granted the lock, or to be granted it once more. */
        ACQUIRE,
        /** To undo one acquisition. */
        RELEASE,
        /** Nothing: the holder was told, or found, that its lease is lost. Always {@link Type#OK}, and without an invocation. */
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
