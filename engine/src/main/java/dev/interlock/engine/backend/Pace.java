// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Decides how long a thread waits between two requests to the backend. All times are in nanoseconds. Used by one
 * thread.
 */
public final class Pace {
    /** How long to back off after a failure; doubles with each failure up to the ceiling. */
    private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How soon to ask again if releases are not reported; doubles with each refusal up to the ceiling. */
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How long other clients have to learn of a release before the next thread here tries. */
    private static final long YIELD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * A waiter that the backend wakes at its turn asks again after this part of its lease, as a holder renews.
     */
    private static final int RENEWALS_PER_LEASE = 3;

    private static final int MOST_CEILINGS = 5;

    /**
     * All waiters know when the lease of a dead holder ends. Their next attempts are spread over this part of the
     * remaining time, up to this maximum.
     */
    private static final int SPREAD_PARTS = 10;

    private static final long LONGEST_SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** By how much the end of a lease moves if it was begun or renewed since the last refusal; less is imprecision. */
    private static final long MOVED_MILLIS = 3;

    /** The most refusals after which an end that moves shows hand-offs: renewals are rarer. */
    private static final int FEW_REFUSALS = 5;

    private final Environment env;
    private final long ceilingNanos;
    private final long queuedCeilingNanos;
    private int failures;
    private int refusals;
    private int queuedRefusals;

    /** The end of the holder's lease, as the last refusal said; empty if it did not. */
    private OptionalLong seenEndMillis = OptionalLong.empty();

    /**
     * @param leaseNanos the lease that is asked for
     */
    public Pace(Environment env, long ceilingNanos, long leaseNanos) {
        this.env = env;
        this.ceilingNanos = ceilingNanos;
        this.queuedCeilingNanos =
                Math.max(ceilingNanos, Math.min(leaseNanos / RENEWALS_PER_LEASE, MOST_CEILINGS * ceilingNanos));
    }

    /** Returns how long to leave a freed lock to other clients. */
    public long yielding() {
        return 1 + env.nextLong(YIELD_NANOS);
    }

    /**
     * Returns how long to wait after a refusal: until the holder's lease ends if it is not renewed, and no longer than
     * the ceiling, of which the last quarter is drawn at random. The ceiling of a waiter that is told of its turn
     * doubles with each refusal.
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

    /**
     * As {@link #afterRefusal} if releases are never told, but the pause is short again if the holder's lease does not
     * end when the last refusal said it would: the lock was free meanwhile, and is likely to be free again soon. A
     * pause that only doubled would starve a client that had no luck a few times among others that take the lock in
     * turn. A pause that has grown long is only halved, since the holder may have renewed its lease.
     *
     * @param retryAfter when the holder's lease ends if it is not renewed
     */
    public long betweenPolls(Optional<Duration> retryAfter) {
        OptionalLong before = seenEndMillis;
        seenEndMillis = endMillis(retryAfter);
        if (before.isPresent()
                && seenEndMillis.isPresent()
                && Math.abs(seenEndMillis.getAsLong() - before.getAsLong()) > MOVED_MILLIS) {
            // However often the waiter asked in vain before, each hand-off halves its pause.
            int counted = Math.min(refusals, mostRefusals());
            refusals = counted <= FEW_REFUSALS ? 0 : counted - 2;
        }
        return afterRefusal(retryAfter, false, false);
    }

    /** After how many refusals the pause is as long as it gets. */
    private int mostRefusals() {
        return 1 + Long.SIZE - Long.numberOfLeadingZeros(ceilingNanos / FIRST_POLL_NANOS);
    }

    private OptionalLong endMillis(Optional<Duration> retryAfter) {
        return retryAfter.filter(left -> left.compareTo(LockOptions.MAX_LEASE) <= 0).stream()
                .mapToLong(left -> TimeUnit.NANOSECONDS.toMillis(env.nanoTime()) + left.toMillis())
                .findFirst();
    }

    private long untilFree(long nanos) {
        long together = queuedRefusals == 0 ? 0 : Math.min(nanos / SPREAD_PARTS, LONGEST_SPREAD_NANOS);
        return nanos + TimeUnit.MILLISECONDS.toNanos(1) + env.nextLong(together + 1);
    }

    /** Returns how long to back off after a failure: longer each time. */
    public long afterFailure() {
        failures++;
        long bound = Math.min(ceilingNanos, FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
        return bound / 2 + env.nextLong(bound / 2 + 1);
    }
}
