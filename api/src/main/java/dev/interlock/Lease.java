// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A read-only view of one hold of a lock, from the grant until the release or the loss. {@link DistributedLock#unlock}
 * releases the hold of a thread, and {@link LockHandle#close} that of a handle.
 *
 * <p>A lease is <em>valid</em> until a moment on this machine's monotonic clock that lies before the moment at which
 * the backend gives the lock to somebody else, as far as the {@linkplain StrategyProfile#assumptions() assumptions} of
 * the strategy hold. Renewal moves that moment on. When it passes, the lease is <em>lost</em>, and it never becomes
 * valid again. A wall clock that has moved on by more than the monotonic one also makes a lease invalid until a renewal
 * has confirmed it, because a machine that was suspended cannot tell otherwise.
 *
 * <p>A valid lease is no proof at the moment of use: the thread can be stopped right after it looked. Work that must
 * not be repeated or reordered passes {@link #fencingToken()} on to a store that refuses a smaller token than the last
 * one it saw.
 *
 * <p>Leases are safe to use from any thread. None of the methods but {@link #ensureValid} does I/O.
 */
public interface Lease {
    /**
     * Returns the name of the lock, as {@link DistributedLock#name} does.
     *
     * @return the name of the lock
     */
    String lockName();

    /**
     * Returns the names that the lock is over, as {@link DistributedLock#names} does.
     *
     * @return the names; cannot be changed
     */
    default List<String> lockNames() {
        return List.of(lockName());
    }

    /**
     * Returns the fencing token of this hold: a positive number below 2<sup>53</sup> that is larger than the token of
     * every earlier hold of a lock of this name. It does not change with renewal or re-entry.
     *
     * <p>The token of a lock over several names is the largest of theirs, and so larger than that of every earlier hold
     * of a lock over the same names. It says nothing to a store that also sees the tokens of a lock over some of them:
     * such a store takes {@link #fencingToken(String)}.
     *
     * @return the token, or empty if the strategy does not draw one (see {@link Capability#FENCING})
     */
    OptionalLong fencingToken();

    /**
     * Returns the fencing token of this hold for one of the names that the lock is over: larger than that of every
     * earlier hold of any lock over this name, be it over this name alone or over others too.
     *
     * @param name one of {@link #lockNames}
     * @return the token, or empty if the strategy does not draw one (see {@link Capability#FENCING})
     * @throws IllegalArgumentException if the lock is not over this name
     */
    default OptionalLong fencingToken(String name) {
        if (!name.equals(lockName())) {
            throw new IllegalArgumentException(
                    "there is no token for \"" + name + "\": the lock is over \"" + lockName() + "\"");
        }
        return fencingToken();
    }

    /**
     * Tells whether this lease is valid now. Does no I/O.
     *
     * @return {@code true} if it was neither given up nor lost and its time has not run out
     */
    boolean isValid();

    /**
     * Returns how long this lease stays valid if it is not renewed. Does no I/O.
     *
     * @return the remaining time, zero if it is not valid; never negative
     */
    Duration remaining();

    /**
     * Makes sure that this lease stays valid for a given time, for example before a step that takes that long. Returns
     * at once if {@link #remaining()} suffices; otherwise renews the lease, also where automatic renewal is off, which
     * takes one round trip and at most one command time-out. The time may be longer than {@link LockOptions#lease()}.
     * Interrupts are ignored and preserved.
     *
     * @param atLeast the time for which the lease must stay valid
     * @throws IllegalArgumentException if {@code atLeast} is negative or more than {@link LockOptions#MAX_LEASE}
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalStateException if the lease was given up, or {@link LockOptions#maxHold()} does not leave that
     *     much time; in the latter case it is still valid for {@link #remaining()}
     * @throws LockBackendException if the lease could not be renewed; it is still valid for {@link #remaining()}
     */
    void ensureValid(Duration atLeast);

    /**
     * Registers an action that runs once if this lease is lost: at once if it has been lost already, never if it is
     * released. Actions run one after another on a thread of the factory's, not on the holder's, and must not block for
     * long; what they throw is logged. Returns without waiting for the action.
     *
     * <p>The lease keeps its actions. An action that refers to its own handle therefore keeps that handle from being
     * found to be dropped: if it is never closed, the lock is renewed until its factory is closed.
     *
     * @param action what to run with the cause of the loss
     * @return the registration, by which the action can be cancelled
     */
    Registration onLoss(Consumer<? super LossCause> action);

    /** An action that was registered by {@link Lease#onLoss}. Safe to use from any thread. */
    interface Registration {
        /**
         * Cancels the action, so that a later loss does not run it, and drops the reference to it. Has no effect after
         * the loss, even if the action has not run yet, and none if it was cancelled before. Does not block.
         */
        void cancel();
    }
}
