// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock's provider for Redis, used as a lock, which it does not claim to be. */
final class ShedLockDriver implements PeerDriver {
    private static final String ENVIRONMENT = "interlock-compare";
    private static final String DOCUMENTATION = "https://github.com/lukas-krecan/ShedLock";

    /** Otherwise an unlock deletes whatever lock is there. */
    private static final boolean SAFE_UPDATE = true;

    private ShedLockDriver() {}

    static PeerProvider provider() {
        return new PeerProvider(
                "shedlock",
                new PeerCard(
                        "ShedLock, as a lock",
                        "net.javacrumbs.shedlock:shedlock-provider-redis-spring",
                        Versions.of("shedlock"),
                        DOCUMENTATION,
                        List.of(
                                new PeerCard.Limit(
                                        "It is made to skip scheduled tasks that run elsewhere, not to wait.",
                                        DOCUMENTATION),
                                new PeerCard.Limit(
                                        "Its locks are time-based, and it assumes that the clocks of the nodes agree.",
                                        DOCUMENTATION),
                                new PeerCard.Limit(
                                        "It renews only with KeepAliveLockProvider, which refuses leases below 30 seconds.",
                                        DOCUMENTATION + "#extending-the-lock")),
                        List.of(
                                PeerCard.Finding.byRules(
                                        "A thread that is interrupted before the reply to its command is there gets an"
                                                + " exception, from unlock() too.",
                                        "4.1",
                                        "4.15"),
                                PeerCard.Finding.byFaults("There are no fencing tokens.", "stopped-writing"),
                                PeerCard.Finding.byFaults(
                                        "Nobody is told when a lock is lost; a holder sees it when it extends the lock.",
                                        "flushall",
                                        "evicted")),
                        List.of(
                                "The loop that waits.",
                                "The owner, a thread; it is not re-entrant.",
                                "KeepAliveLockProvider is not used. Each look of a holder at its lock in the fault lab extends"
                                        + " it by a lease, since extend() is the only question that a lock answers; between"
                                        + " looks nothing renews it.")),
                new StrategyProfile(
                        "A string that is set if it is not there, for as long as a task may take at most",
                        EnumSet.of(Capability.SAFE_RELEASE),
                        EnumSet.of(
                                Assumption.BOUNDED_CLOCK_RATES,
                                Assumption.NO_FAILOVER,
                                Assumption.NO_EVICTION,
                                Assumption.RESTART_KEEPS_DATA,
                                Assumption.NO_ROLLBACK)),
                ShedLockDriver::configuration,
                new ShedLockDriver());
    }

    private static Map<String, String> configuration(LockConfig config) {
        Map<String, String> settings = new HashMap<>(LettuceConnections.configuration(config));
        Duration lease = config.lockDefaults().lease();
        LockConfiguration terms = ShedLockLock.Holds.terms("any", lease);
        settings.put("lockAtMostFor", terms.getLockAtMostFor().toMillis() + " ms");
        settings.put("lockAtLeastFor", terms.getLockAtLeastFor().toMillis() + " ms");
        settings.put("safeUpdate", String.valueOf(SAFE_UPDATE));
        settings.put("pause of our loop that waits", ShedLockLock.PAUSE.toMillis() + " ms");
        settings.put("each look extends by", lease.toMillis() + " ms");
        return settings;
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
                                .safeUpdate(SAFE_UPDATE)
                                .build(),
                        config.lockDefaults().lease()));
    }

    private record Client(LettuceConnectionFactory connections, ShedLockLock.Holds holds) implements PeerClient {
        @Override
        public Lock lock(String name) {
            return new ShedLockLock(holds, name);
        }

        /** A lock is its name until it is acquired. */
        @Override
        public Object bareLock(String name) {
            return name;
        }

        @Override
        public Object acquireBare(Object name) {
            return holds.bare((String) name);
        }

        @Override
        public void releaseBare(Object held) {
            ((SimpleLock) held).unlock();
        }

        /** A lock that can be extended is held; there is no other question. So each look extends it. */
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
