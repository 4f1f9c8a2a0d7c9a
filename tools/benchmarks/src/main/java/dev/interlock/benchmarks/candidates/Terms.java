// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import java.time.Duration;
import java.util.Optional;

/**
 * The terms on which locks are acquired.
 *
 * @param lease how long a lock outlives a holder that has died
 * @param renewed whether locks are held for longer than that; candidates that always renew ignore it
 * @param commandTimeout how long a command may take, or empty for the candidate's default; candidates whose default is
 *     long ignore it
 */
public record Terms(Duration lease, boolean renewed, Optional<Duration> commandTimeout) {
    private static final Duration LONG_LEASE = Duration.ofSeconds(30);

    /** A long time-out, so that no candidate fails because the machine is busy. */
    private static final Optional<Duration> PATIENT = Optional.of(Duration.ofMinutes(1));

    /** The terms of locks that are released at once. */
    public static final Terms SHORT = new Terms(LONG_LEASE, false, PATIENT);

    /** As {@link #SHORT}, with the default time-outs of the candidates. */
    public static final Terms DEFAULT_TIMEOUTS = new Terms(LONG_LEASE, false, Optional.empty());

    /** The terms of locks that are held for longer than the lease of all others. */
    public static final Terms HELD = held(LONG_LEASE);

    /** Returns the terms of locks that are held for longer than a lease. */
    public static Terms held(Duration lease) {
        return new Terms(lease, true, PATIENT);
    }
}
