// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** How long a thread that asks the backend waits between two attempts, in nanoseconds. Used by one thread. */
public final class Pace {
    /** How long to back off after a failure; doubles with each failure up to the ceiling. */
    private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How soon to ask again if releases are not reported; doubles with each refusal up to the ceiling. */
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How long other clients have to learn of a release before the next thread here tries. */
    private static final long YIELD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * A waiter that the backend wakes at its turn asks about as rarely as a holder renews, and at least once in this
     * many ceilings.
     */
    private static final int RENEWALS_PER_LEASE = 3;

    private static final int MOST_CEILINGS = 10;

    /**
     * All waiters know when the lease of a dead holder ends. Their next attempts are spread over this part of the
     * remaining time, up to this maximum.
     */
    private static final int SPREAD_PARTS = 10;

    private static final long LONGEST_SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Environment env;
    private final long ceilingNanos;
    private final long queuedCeilingNanos;
    private int failures;
    private int refusals;
    private int queuedRefusals;

    /**
     * @param leaseNanos the lease that is asked for
     */
    public Pace(Environment env, long ceilingNanos, long leaseNanos) {
        this.env = env;
        this.ceilingNanos = ceilingNanos;
        this.queuedCeilingNanos =
                Math.max(ceilingNanos, Math.min(leaseNanos / RENEWALS_PER_LEASE, MOST_CEILINGS * ceilingNanos));
    }

    /** How long to leave the lock to other clients. */
    public long yielding() {
        return 1 + env.nextLong(YIELD_NANOS);
    }

    /**
     * Until the holder's lease ends if nothing happens, and no longer than the ceiling, spread over its last quarter.
     * The ceiling of a waiter that is told of its turn doubles with each refusal.
     *
     * @param listening whether releases are told
     * @param queued whether the backend keeps a place for the waiter
     */
    public long afterRefusal(Optional<Duration> retryAfter, boolean listening, boolean queued) {
        failures = 0;
        refusals++;
        queuedRefusals = listening && queued ? queuedRefusals + 1 : 0;
        long longest = ceilingNanos;
        if (!listening) {
            longest = Math.min(longest, FIRST_POLL_NANOS << Math.min(refusals - 1, 20));
        } else if (queuedRefusals > 0) {
            longest = Math.min(queuedCeilingNanos, ceilingNanos << Math.min(queuedRefusals - 1, 4));
        }
        long spread = longest - env.nextLong(longest / 4 + 1);
        return retryAfter
                .filter(duration -> duration.compareTo(Duration.ofNanos(spread)) < 0)
                .map(duration -> untilFree(Math.max(0, duration.toNanos())))
                .orElse(spread);
    }

    private long untilFree(long nanos) {
        long together = queuedRefusals == 0 ? 0 : Math.min(nanos / SPREAD_PARTS, LONGEST_SPREAD_NANOS);
        return nanos + TimeUnit.MILLISECONDS.toNanos(1) + env.nextLong(together + 1);
    }

    /** Backs off, longer after each failure. */
    public long afterFailure() {
        failures++;
        long bound = Math.min(ceilingNanos, FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
        return bound / 2 + env.nextLong(bound / 2 + 1);
    }
}
