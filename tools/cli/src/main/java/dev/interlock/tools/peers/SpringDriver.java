// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The lock registry of Spring Integration, with a scheduler that renews. */
final class SpringDriver implements PeerDriver {
    private static final String REGISTRY = "interlock-compare";

    /** A registry holds no more locks at once than it caches, which by default are too few to be measured. */
    private static final int CACHED_LOCKS = 10_000;

    private static final String API = "https://docs.spring.io/spring-integration/api/org/springframework/integration/";
    private static final String REGISTRY_API = API + "redis/util/RedisLockRegistry.html";
    private static final String RENEWAL_API = API + "support/locks/RenewableLockRegistry.html";

    private final RedisLockType type;

    private SpringDriver(RedisLockType type) {
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
                                new PeerCard.Limit(
                                        "It is not intended for low latency. Conditions are not supported.",
                                        REGISTRY_API),
                                new PeerCard.Limit(
                                        "A registry holds no more locks at once than it caches.", REGISTRY_API),
                                new PeerCard.Limit("It renews only where it is given a scheduler.", RENEWAL_API)),
                        List.of(
                                PeerCard.Finding.byRules(
                                        "Names whose hash codes agree in their last ten bits share one lock within a JVM.",
                                        "1.5"),
                                PeerCard.Finding.byRules(
                                        "unlock() by a thread that does not hold the lock throws an IllegalStateException,"
                                                + " not an IllegalMonitorStateException.",
                                        "2.1",
                                        "2.5"),
                                PeerCard.Finding.byRules(
                                        "A thread that is interrupted before the reply to its command is there gets a"
                                                + " CannotAcquireLockException, from lock() too.",
                                        "4.1",
                                        "4.3"),
                                PeerCard.Finding.byFaults(
                                        "Nobody is told when a lock is lost; a holder sees it when it renews the lock, or at"
                                                + " unlock(), which throws a ConcurrentModificationException.",
                                        "flushall",
                                        "evicted"),
                                PeerCard.Finding.byFaults("There are no fencing tokens.", "stopped-writing")),
                        List.of(
                                "A scheduler that renews, and a cache for more locks.",
                                "Each look of a holder at its lock in the fault lab renews it, since it answers no other"
                                        + " question.")),
                new StrategyProfile(
                        "A string with the registry's identity, behind a lock of the JVM; " + waiting,
                        capabilities,
                        EnumSet.of(
                                Assumption.BOUNDED_CLOCK_RATES,
                                Assumption.NO_FAILOVER,
                                Assumption.NO_EVICTION,
                                Assumption.RESTART_KEEPS_DATA,
                                Assumption.NO_ROLLBACK)),
                config -> configuration(type, config),
                new SpringDriver(type));
    }

    /** Reads the settings of a registry and its connections; a registry has no other way to ask. */
    private static Map<String, String> configuration(RedisLockType type, LockConfig config) {
        Map<String, String> settings = new HashMap<>(LettuceConnections.configuration(config));
        RedisLockRegistry registry = registry(new LettuceConnectionFactory(), type, config);
        DirectFieldAccessor fields = new DirectFieldAccessor(registry);
        settings.put("cacheCapacity", String.valueOf(fields.getPropertyValue("cacheCapacity")));
        settings.put("expireAfter", millis(fields, "expireAfter"));
        settings.put("idleBetweenTries", millis(fields, "idleBetweenTries"));
        settings.put("redisLockType", String.valueOf(fields.getPropertyValue("redisLockType")));
        settings.put("renewalTaskScheduler.poolSize", String.valueOf(new ThreadPoolTaskScheduler().getPoolSize()));
        return settings;
    }

    private static String millis(DirectFieldAccessor fields, String name) {
        return ((Duration) Objects.requireNonNull(fields.getPropertyValue(name), name)).toMillis() + " ms";
    }

    private static RedisLockRegistry registry(
            LettuceConnectionFactory connections, RedisLockType type, LockConfig config) {
        RedisLockRegistry registry = new RedisLockRegistry(
                connections, REGISTRY, config.lockDefaults().lease());
        registry.setRedisLockType(type);
        registry.setCacheCapacity(CACHED_LOCKS);
        return registry;
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
        RedisLockRegistry registry = registry(connections, type, config);
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

        /** Renews the lock, since the registry has no query: a lock that can be renewed is held. */
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
