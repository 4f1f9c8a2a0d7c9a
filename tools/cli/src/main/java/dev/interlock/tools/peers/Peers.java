// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.DistributedLocks;
import dev.interlock.spi.LockStrategyProvider;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The locks of other libraries that ours are compared with. */
public final class Peers {
    /** The locks that are left out, and why. */
    public static final List<String> MISSING = List.of(
            "redlock4j is not compared: no release of it could be resolved from the build's repository. Redisson's"
                    + " RedissonRedLock stands for locks over independent servers.",
            "Redisson's spin lock (RedissonClient.getSpinLock) is not compared: it is an RLock whose waiters ask again"
                    + " after ever longer pauses, for applications with very many locks.");

    private static final List<PeerProvider> ALL = List.of(
            RedissonDrivers.rLock(),
            RedissonDrivers.rFencedLock(),
            RedissonDrivers.fairLock(),
            RedissonRedLockDriver.redLock(),
            SpringDriver.spinning(),
            SpringDriver.subscribing(),
            ShedLockDriver.provider());

    private Peers() {}

    public static List<PeerProvider> all() {
        return ALL;
    }

    /** Returns the strategy or the lock of another library that has a name. */
    public static Optional<LockStrategyProvider> find(String name) {
        return Stream.concat(DistributedLocks.strategies().stream(), ALL.stream())
                .filter(provider -> provider.name().equals(name))
                .findFirst();
    }
}
