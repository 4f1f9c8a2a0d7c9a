// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The moment at which a call gives up. */
public final class Deadline {
    private final Environment env;
    private final Duration timeout;
    private final long end;

    public Deadline(Environment env, Duration timeout) {
        this.env = env;
        this.timeout = timeout;
        this.end = env.nanoTime() + timeout.toNanos();
    }

    /** Returns the time-out that the call began with. */
    public Duration timeout() {
        return timeout;
    }

    /** Returns an earlier deadline: after a fraction of the remaining time, and at most after a given time. */
    public Deadline sooner(Duration longest, int parts) {
        Duration part = Duration.ofNanos(Math.max(0, nanosLeft() / parts));
        return new Deadline(env, part.compareTo(longest) < 0 ? part : longest);
    }

    public long nanosLeft() {
        return end - env.nanoTime();
    }

    /** Returns the remaining time for sockets: at least one millisecond, because zero means no limit to them. */
    public int millisLeft() {
        long roundedUp = TimeUnit.NANOSECONDS.toMillis(nanosLeft() + TimeUnit.MILLISECONDS.toNanos(1) - 1);
        return (int) Math.max(1, Math.min(roundedUp, Integer.MAX_VALUE));
    }
}
