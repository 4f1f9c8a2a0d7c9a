// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.backend;

import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.OwnerToken;
import java.time.Duration;

/** Creates the claims of a factory. Safe to use from any thread. */
public final class Claims {
    /** The shortest time-out of a request to acquire: connections take their time, however short the lease. */
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(500);

    /** The prefix of this factory's owner tokens, unguessable and unique. */
    private final String tokenPrefix;

    private final Duration commandTimeout;
    private final Numbers numbers = new Numbers();

    public Claims(Environment env, Duration commandTimeout) {
        this.tokenPrefix = env.newToken() + "-";
        this.commandTimeout = commandTimeout;
    }

    /** Makes a claim to a lock that asks for some fencing tokens. */
    public Claim next(String name, LockOptions options, int fences, boolean waiting) {
        long number = numbers.next();
        Duration lease = options.lease();
        // An answer after the end of the lease is useless.
        Duration timeout = lease.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : lease;
        return new Claim(
                name,
                new OwnerToken(tokenPrefix, number),
                lease,
                timeout.compareTo(commandTimeout) < 0 ? timeout : commandTimeout,
                fences,
                number,
                waiting,
                options.renewal());
    }
}
