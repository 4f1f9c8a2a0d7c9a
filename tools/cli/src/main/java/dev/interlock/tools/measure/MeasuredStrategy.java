// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.NoSuchLockStrategyException;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.peers.Peers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A strategy, or the lock of another library, on its servers, to be measured.
 *
 * @param strategy its name
 * @param options those of its options that are not as they are everywhere here, by name
 * @param backend the servers
 */
public record MeasuredStrategy(String strategy, Map<String, String> options, Backend backend) {
    private static final String KEY_PREFIX = "interlock-compare";
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

    /** Opens a client of its own, which the caller must close. */
    DistributedLockFactory open() {
        return open(strategy, options, backend.endpoints());
    }

    static DistributedLockFactory open(String strategy, Map<String, String> options, String endpoints) {
        LockStrategyProvider provider =
                Peers.find(strategy).orElseThrow(() -> new NoSuchLockStrategyException(strategy, List.of()));
        LockConfig.Builder config =
                LockConfig.builder().endpoints(endpoints).keyPrefix(KEY_PREFIX).commandTimeout(COMMAND_TIMEOUT);
        return DistributedLocks.getInstance(provider, new ConfiguredStrategy(provider, options).configure(config));
    }

    /** Returns a name that no other measurement uses, for a lock or a key. */
    static String newName(String what) {
        return KEY_PREFIX + ":" + what + ":" + UUID.randomUUID();
    }
}
