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

    /** How soon to ask again where nobody tells of a release; doubles with each refusal up to the ceiling. */
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How long clients elsewhere get to hear of a release before the next thread here tries. */
    private static final long YIELD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Environment env;
    private final long ceilingNanos;
    private int failures;
    private int refusals;

    public Pace(Environment env, long ceilingNanos) {
        this.env = env;
        this.ceilingNanos = ceilingNanos;
    }

    /** How long to leave the lock to clients elsewhere. */
    public long yielding() {
        return 1 + env.nextLong(YIELD_NANOS);
    }

    /** Until the holder's lease ends if nothing happens, and no longer than the ceiling, spread over its last quarter. */
    public long afterRefusal(Optional<Duration> retryAfter, boolean listening) {
        failures = 0;
        refusals++;
        long longest = ceilingNanos;
        if (!listening) {
            longest = Math.min(longest, FIRST_POLL_NANOS << Math.min(refusals - 1, 20));
        }
        long spread = longest - env.nextLong(longest / 4 + 1);
        return retryAfter
                .filter(duration -> duration.compareTo(Duration.ofNanos(spread)) < 0)
                .map(duration -> Math.max(0, duration.toNanos()) + TimeUnit.MILLISECONDS.toNanos(1))
                .orElse(spread);
    }

    /** Backs off, longer after each failure. */
    public long afterFailure() {
        failures++;
        long bound = Math.min(ceilingNanos, FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
        return bound / 2 + env.nextLong(bound / 2 + 1);
    }
}
