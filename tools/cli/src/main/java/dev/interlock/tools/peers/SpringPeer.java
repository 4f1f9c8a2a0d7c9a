// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.util.ConcurrentModificationException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The lock registry of Spring Integration, with a scheduler that renews. */
final class SpringPeer implements PeerDriver {
    private static final String REGISTRY = "interlock-compare";

    private final RedisLockType type;

    private SpringPeer(RedisLockType type) {
        this.type = type;
    }

    /** Waiters ask again and again. */
    static PeerProvider spinning() {
        return provider(
                "spring-spin",
                "Spring RedisLockRegistry, SPIN_LOCK",
                "waiters ask every 100 ms",
                RedisLockType.SPIN_LOCK,
                EnumSet.of(Capability.REENTRANT, Capability.AUTO_RENEWAL, Capability.SAFE_RELEASE));
    }

    /** Waiters are woken by messages. */
    static PeerProvider subscribing() {
        return provider(
                "spring-pubsub",
                "Spring RedisLockRegistry, PUB_SUB_LOCK",
                "a message wakes waiters",
                RedisLockType.PUB_SUB_LOCK,
                EnumSet.of(
                        Capability.REENTRANT,
                        Capability.AUTO_RENEWAL,
                        Capability.PUSH_WAKEUP,
                        Capability.SAFE_RELEASE));
    }

    private static PeerProvider provider(
            String name, String title, String waiting, RedisLockType type, Set<Capability> capabilities) {
        return new PeerProvider(
                name,
                new PeerCard(
                        title,
                        "org.springframework.integration:spring-integration-redis",
                        Versions.of("spring-integration"),
                        "https://docs.spring.io/spring-integration/reference/redis.html#redis-lock-registry",
                        List.of(
                                "Names whose hash codes agree in their last ten bits share one lock within a JVM.",
                                "It renews only where it is given a scheduler, as here.",
                                "unlock() of a lock that was lost throws a ConcurrentModificationException; a holder can look"
                                        + " before only by renewing the lock.",
                                "There are no fencing tokens.")),
                new StrategyProfile(
                        "A string with the registry's identity, behind a lock of the JVM; " + waiting,
                        capabilities,
                        EnumSet.of(
                                Assumption.BOUNDED_CLOCK_RATES,
                                Assumption.NO_FAILOVER,
                                Assumption.NO_EVICTION,
                                Assumption.RESTART_KEEPS_DATA,
                                Assumption.NO_ROLLBACK)),
                Map.of(
                        "redisLockType", type.name(),
                        "expireAfter", "the lease (60 s by default)",
                        "renewalTaskScheduler", "set (none by default)",
                        "client", "Lettuce"),
                new SpringPeer(type));
    }

    @Override
    public PlainLocks declare(PlainLocks locks) {
        PlainLocks declared = locks.withoutConditions();
        return type == RedisLockType.PUB_SUB_LOCK ? declared.wakingWaiters() : declared;
    }

    /** A registry has a thousand local locks for all names, of which a rule may leave some taken. */
    @Override
    public boolean servesManyRules() {
        return false;
    }

    @Override
    public PeerClient connect(LockConfig config) {
        LettuceConnectionFactory connections = LettuceConnections.open(config);
        RedisLockRegistry registry = new RedisLockRegistry(
                connections, REGISTRY, config.lockDefaults().lease());
        registry.setRedisLockType(type);
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setDaemon(true);
        scheduler.initialize();
        registry.setRenewalTaskScheduler(scheduler);
        return new Client(connections, registry, scheduler);
    }

    private record Client(
            LettuceConnectionFactory connections, RedisLockRegistry registry, ThreadPoolTaskScheduler scheduler)
            implements PeerClient {
        @Override
        public Lock lock(String name) {
            return registry.obtain(name);
        }

        /** A lock that can be renewed is held; there is no other question. */
        @Override
        public boolean isHeld(String name, Lock lock) {
            try {
                registry.renewLock(name);
                return true;
            } catch (IllegalStateException e) {
                return false;
            }
        }

        @Override
        public boolean tellsOfLoss(RuntimeException failure) {
            return failure instanceof IllegalStateException || failure instanceof ConcurrentModificationException;
        }

        @Override
        public void close() {
            scheduler.shutdown();
            registry.destroy();
            connections.destroy();
        }
    }
}
