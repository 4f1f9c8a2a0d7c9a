// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.NoSuchLockStrategyException;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.Backend;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.peers.BareLocks;
import dev.interlock.tools.peers.PeerProvider;
import dev.interlock.tools.peers.Peers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A strategy, or the lock of another library, on its servers, to be measured.
 *
 * @param strategy its name
 * @param options the options that differ from those that all tools set, by name
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
        LockStrategyProvider provider = find(strategy);
        return DistributedLocks.getInstance(provider, config(provider, options, endpoints));
    }

    /** The locks of a client of its own, as its library hands them out. The caller must close it. */
    static BareLocks openBare(String strategy, Map<String, String> options, String endpoints) {
        LockStrategyProvider provider = find(strategy);
        return provider instanceof PeerProvider peer
                ? peer.bareLocks(config(peer, options, endpoints))
                : new OwnLocks(open(strategy, options, endpoints));
    }

    private static LockStrategyProvider find(String strategy) {
        return Peers.find(strategy).orElseThrow(() -> new NoSuchLockStrategyException(strategy, List.of()));
    }

    private static LockConfig config(LockStrategyProvider provider, Map<String, String> options, String endpoints) {
        return new ConfiguredStrategy(provider, options)
                .configure(LockConfig.builder()
                        .endpoints(endpoints)
                        .keyPrefix(KEY_PREFIX)
                        .commandTimeout(COMMAND_TIMEOUT));
    }

    /** Returns the settings with which strategies are measured, where they have no options of their own. */
    public static LockConfig terms() {
        return LockConfig.builder()
                .endpoints("redis://localhost")
                .keyPrefix(KEY_PREFIX)
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
    }

    /** Our locks, which need nothing else to be used. */
    private record OwnLocks(DistributedLockFactory factory) implements BareLocks {
        @Override
        public Object bareLock(String name) {
            return factory.getLock(name);
        }

        @Override
        @SuppressWarnings("LockNotBeforeTry") // The caller unlocks.
        public Object acquireBare(Object lock) {
            ((DistributedLock) lock).lock();
            return lock;
        }

        @Override
        public void releaseBare(Object held) {
            ((DistributedLock) held).unlock();
        }

        @Override
        public void close() {
            factory.close();
        }
    }

    /** Returns a name that no other measurement uses, for a lock or a key. */
    static String newName(String what) {
        return KEY_PREFIX + ":" + what + ":" + UUID.randomUUID();
    }
}
