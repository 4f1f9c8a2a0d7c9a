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

    /** How long the call was to last when it began. */
    public Duration timeout() {
        return timeout;
    }

    /** Returns a moment that comes before this one: after a part of what is left, and no more than a time. */
    public Deadline sooner(Duration longest, int parts) {
        Duration part = Duration.ofNanos(Math.max(0, nanosLeft() / parts));
        return new Deadline(env, part.compareTo(longest) < 0 ? part : longest);
    }

    public long nanosLeft() {
        return end - env.nanoTime();
    }

    /** What is left, for sockets: at least one millisecond, because zero means for ever to them. */
    public int millisLeft() {
        long roundedUp = TimeUnit.NANOSECONDS.toMillis(nanosLeft() + TimeUnit.MILLISECONDS.toNanos(1) - 1);
        return (int) Math.max(1, Math.min(roundedUp, Integer.MAX_VALUE));
    }
}
