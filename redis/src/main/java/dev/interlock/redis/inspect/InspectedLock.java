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
 * @param lastFence the last fencing token that was reserved for this lock, which is that of the holder or a later one; empty if none is
 *     known
 * @param waiters those who wait, in the order in which they will be granted the lock; only the first of many
 * @param waiting how many wait
 */
public record InspectedLock(
        String name,
        LockParty holder,
        Optional<Duration> remaining,
        OptionalLong lastFence,
        List<LockParty> waiters,
        long waiting) {
    /** Copies the list of those who wait. */
    public InspectedLock {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(holder, "holder");
        Objects.requireNonNull(remaining, "remaining");
        Objects.requireNonNull(lastFence, "lastFence");
        waiters = List.copyOf(waiters);
    }
}
