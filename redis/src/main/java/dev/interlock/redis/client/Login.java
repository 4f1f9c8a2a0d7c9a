// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.endpoint.RedisCredentials;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The credentials of one connection, and the time of its next log-in. {@link #toString} shows no credentials. */
public final class Login {
    /** The fraction of the credentials' lifetime, as a divisor, that is reserved for the next log-in. */
    private static final int PART = 5;

    private static final long MOST_AHEAD = TimeUnit.MINUTES.toNanos(3);

    /** Keeps expired credentials from being fetched again for each request. */
    private static final long LEAST_USE = TimeUnit.SECONDS.toNanos(1);

    /** Longer than any program runs, without overflow. */
    private static final Duration LONGEST_USE = Duration.ofDays(10_000);

    private final RedisCredentials credentials;
    private final Optional<Long> dueNanos;

    Login(Environment env, RedisCredentials credentials) {
        this.credentials = credentials;
        this.dueNanos = credentials.expiresAt().map(expiry -> {
            Duration until = Duration.ofMillis(expiry.toEpochMilli() - env.currentTimeMillis());
            long left = (until.compareTo(LONGEST_USE) < 0 ? until : LONGEST_USE).toNanos();
            return env.nanoTime() + Math.max(LEAST_USE, left - Math.min(left / PART, MOST_AHEAD));
        });
    }

    public Optional<String> username() {
        return credentials.username();
    }

    /** Returns the password, which the caller keeps out of logs and messages. */
    public String password() {
        return credentials.password();
    }

    /** Returns the command that logs a connection in. */
    public RedisCommand command() {
        return username()
                .map(user -> RedisCommand.of("AUTH", user, password()))
                .orElseGet(() -> RedisCommand.of("AUTH", password()));
    }

    /** Returns whether the credentials expire so soon that the connection should log in with others. */
    public boolean isDue(long nanoTime) {
        return dueNanos.isPresent() && nanoTime - dueNanos.get() >= 0;
    }

    @Override
    public String toString() {
        return "Login";
    }
}
