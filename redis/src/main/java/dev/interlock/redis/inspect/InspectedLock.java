// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A lock that is held, as an operator sees it.
 *
 * @param name the name of the lock
 * @param holder who holds it
 * @param remaining how much of the lease is left; empty if it does not end by itself
 * @param lastFence the last fencing token that was reserved for this lock, which is that of the holder or a later one;
 *     empty if none is known
 * @param waiters those who wait, in the order in which they will be granted the lock; only the first of many
 * @param waiting how many wait; empty if the keys do not say
 * @param holds how often the holder has entered the lock; empty if the keys do not say
 * @param votes how many servers agree on the holder; empty if one decides
 * @param note what cannot be seen, or is not certain; an empty text if there is nothing to say
 */
public record InspectedLock(
        String name,
        LockParty holder,
        Optional<Duration> remaining,
        OptionalLong lastFence,
        List<LockParty> waiters,
        OptionalLong waiting,
        OptionalLong holds,
        Optional<Votes> votes,
        String note) {
    /**
     * How many servers agree on a holder.
     *
     * @param held how many of them say that this one holds the lock
     * @param answered how many have answered
     * @param servers how many there are, as far as is known
     * @param decided whether those that agree are enough
     */
    public record Votes(int held, int answered, int servers, boolean decided) {}

    /**
     * Creates a lock whose server alone decides, and says all there is to know.
     *
     * @param name the name of the lock
     * @param holder who holds it
     * @param remaining how much of the lease is left; empty if it does not end by itself
     * @param lastFence the last fencing token that was reserved for this lock; empty if none is known
     * @param waiters those who wait, in the order in which they will be granted the lock; only the first of many
     * @param waiting how many wait
     */
    public InspectedLock(
            String name,
            LockParty holder,
            Optional<Duration> remaining,
            OptionalLong lastFence,
            List<LockParty> waiters,
            long waiting) {
        this(
                name,
                holder,
                remaining,
                lastFence,
                waiters,
                OptionalLong.of(waiting),
                OptionalLong.empty(),
                Optional.empty(),
                "");
    }

    /** Copies the list of waiters. */
    public InspectedLock {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(holder, "holder");
        Objects.requireNonNull(remaining, "remaining");
        Objects.requireNonNull(lastFence, "lastFence");
        waiters = List.copyOf(waiters);
        Objects.requireNonNull(waiting, "waiting");
        Objects.requireNonNull(holds, "holds");
        Objects.requireNonNull(votes, "votes");
        Objects.requireNonNull(note, "note");
    }
}
