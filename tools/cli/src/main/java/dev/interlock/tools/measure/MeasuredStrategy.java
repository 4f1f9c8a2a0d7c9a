// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import java.time.Duration;
import java.util.UUID;

/**
 * What is measured: a strategy on its servers.
 *
 * @param strategy the name of the strategy
 * @param backend the servers
 */
public record MeasuredStrategy(String strategy, Backend backend) {
    private static final String KEY_PREFIX = "interlock-compare";
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

    /** Opens a client of its own, which the caller must close. */
    DistributedLockFactory open() {
        return open(strategy, backend.endpoints());
    }

    static DistributedLockFactory open(String strategy, String endpoints) {
        LockConfig.Builder config =
                LockConfig.builder().endpoints(endpoints).keyPrefix(KEY_PREFIX).commandTimeout(COMMAND_TIMEOUT);
        DistributedLocks.strategies().stream()
                .filter(provider -> provider.name().equals(strategy))
                .forEach(provider -> ConfiguredStrategy.trialOptions(provider).forEach(config::option));
        return DistributedLocks.getInstance(strategy, config.build());
    }

    /** Returns a name that no other measurement uses, for a lock or a key. */
    static String newName(String what) {
        return KEY_PREFIX + ":" + what + ":" + UUID.randomUUID();
    }
}
