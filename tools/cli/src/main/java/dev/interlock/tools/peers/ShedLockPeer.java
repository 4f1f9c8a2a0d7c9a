// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock's provider for Redis, used as a lock, which it does not claim to be. */
final class ShedLockPeer implements PeerDriver {
    private static final String ENVIRONMENT = "interlock-compare";

    private ShedLockPeer() {}

    static PeerProvider provider() {
        return new PeerProvider(
                "shedlock",
                new PeerCard(
                        "ShedLock, as a lock",
                        "net.javacrumbs.shedlock:shedlock-provider-redis-spring",
                        Versions.of("shedlock"),
                        "https://github.com/lukas-krecan/ShedLock",
                        List.of(
                                "It is made to skip scheduled tasks that run elsewhere, not to wait: the loop that waits is ours.",
                                "It is not re-entrant.",
                                "It renews only with KeepAliveLockProvider, which refuses leases below 30 seconds; here it does not.",
                                "There are no fencing tokens.")),
                new StrategyProfile(
                        "A string that is set if it is not there, for as long as a task may take at most",
                        EnumSet.of(Capability.SAFE_RELEASE),
                        EnumSet.of(
                                Assumption.BOUNDED_CLOCK_RATES,
                                Assumption.NO_FAILOVER,
                                Assumption.NO_EVICTION,
                                Assumption.RESTART_KEEPS_DATA,
                                Assumption.NO_ROLLBACK)),
                Map.of(
                        "lockAtMostFor", "the lease",
                        "lockAtLeastFor", "0 s",
                        "safeUpdate", "true (false by default, where an unlock deletes whatever lock is there)",
                        "waiting", "a loop of ours, every " + ShedLockLock.PAUSE.toMillis() + " ms",
                        "client", "Lettuce"),
                new ShedLockPeer());
    }

    @Override
    public PlainLocks declare(PlainLocks locks) {
        return locks.notReentrant().withoutConditions();
    }

    @Override
    public PeerClient connect(LockConfig config) {
        LettuceConnectionFactory connections = LettuceConnections.open(config);
        return new Client(
                connections,
                new ShedLockLock.Holds(
                        new RedisLockProvider.Builder(connections)
                                .environment(ENVIRONMENT)
                                .safeUpdate(true)
                                .build(),
                        config.lockDefaults().lease()));
    }

    private record Client(LettuceConnectionFactory connections, ShedLockLock.Holds holds) implements PeerClient {
        @Override
        public Lock lock(String name) {
            return new ShedLockLock(holds, name);
        }

        /** A lock that can be extended is held; there is no other question. */
        @Override
        public boolean isHeld(String name, Lock lock) {
            return holds.extend(name, Duration.ZERO);
        }

        @Override
        public void close() {
            connections.destroy();
        }
    }
}
