// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.DistributedLocks;
import dev.interlock.spi.LockStrategyProvider;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The locks of other libraries that ours are compared with. */
public final class Peers {
    /** The libraries that are left out, and why. */
    public static final String MISSING =
            "redlock4j is not compared: no release of it could be resolved from the build's"
                    + " repository. Redisson's RedissonRedLock stands for locks over independent servers.";

    private static final List<PeerProvider> ALL = List.of(
            RedissonPeer.rLock(),
            RedissonPeer.rFencedLock(),
            RedissonRedLockPeer.redLock(),
            SpringPeer.spinning(),
            SpringPeer.subscribing(),
            ShedLockPeer.provider());

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
