// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The user and password for a Redis server, and the time until which the server accepts them.
 *
 * <p>Supplied to connections by {@link ConnectionSettings.Builder#credentials}, where passwords are tokens that expire.
 * Instances are immutable and safe to use from any thread; {@link #toString} shows neither user nor password.
 */
public final class RedisCredentials {
    private final Optional<String> username;
    private final String password;
    private final Optional<Instant> expiresAt;

    private RedisCredentials(Optional<String> username, String password, Optional<Instant> expiresAt) {
        this.username = username;
        this.password = password;
        this.expiresAt = expiresAt;
    }

    /**
     * Returns credentials of the server's default user.
     *
     * @param password the password, which does not expire
     * @return the credentials
     */
    public static RedisCredentials of(String password) {
        return new RedisCredentials(Optional.empty(), requirePassword(password), Optional.empty());
    }

    /**
     * Returns credentials of a user.
     *
     * @param username the user
     * @param password the password or token, which does not expire unless {@link #until} says so
     * @return the credentials
     */
    public static RedisCredentials of(String username, String password) {
        return new RedisCredentials(
                Optional.of(Objects.requireNonNull(username, "username")), requirePassword(password), Optional.empty());
    }

    private static String requirePassword(String password) {
        if (password.isEmpty()) {
            throw new IllegalArgumentException("the password is empty");
        }
        return password;
    }

    /**
     * Returns the same credentials with a time of expiry.
     *
     * @param expiry when the server stops accepting them; connections log in with others before
     * @return the credentials
     */
    public RedisCredentials until(Instant expiry) {
        return new RedisCredentials(username, password, Optional.of(Objects.requireNonNull(expiry, "expiry")));
    }

    /**
     * Returns the user.
     *
     * @return the user, or empty for the server's default user
     */
    public Optional<String> username() {
        return username;
    }

    /**
     * Returns the password or token. The caller keeps it out of logs and messages.
     *
     * @return the password
     */
    public String password() {
        return password;
    }

    /**
     * Returns when the server stops accepting these credentials.
     *
     * @return the moment, or empty if they do not expire
     */
    public Optional<Instant> expiresAt() {
        return expiresAt;
    }

    @Override
    public String toString() {
        return "RedisCredentials[***"
                + expiresAt.map(expiry -> ", until " + expiry).orElse("") + "]";
    }
}
