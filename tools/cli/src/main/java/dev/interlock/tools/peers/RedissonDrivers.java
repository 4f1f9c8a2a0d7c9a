// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.DelayStrategy;
import org.redisson.config.EqualJitterDelay;
import org.redisson.config.SingleServerConfig;

/** Locks of Redisson, over clients as they come but for the lease and the time-out. */
final class RedissonDrivers {
    static final String DOCUMENTATION = "https://redisson.pro/docs/data-and-services/locks-and-synchronizers/";
    private static final PeerCard.Limit FAIR_ALONE_IS_FAIR = new PeerCard.Limit(
            "Waiters are not served in the order in which they asked; the fair lock serves them so.", DOCUMENTATION);
    private static final PeerCard.Finding INTERRUPTS = PeerCard.Finding.byRules(
            "A thread that is interrupted before the reply to its command is there gets a RedisException, from lock()"
                    + " and unlock() too.",
            "4.1",
            "4.7");
    private static final PeerCard.Finding NOBODY_IS_TOLD = PeerCard.Finding.byFaults(
            "Nobody is told when a lock is lost; the holder sees it when it asks the server with"
                    + " isHeldByCurrentThread().",
            "flushall",
            "evicted");

    private RedissonDrivers() {}

    /** {@code RedissonClient.getLock}. */
    static PeerProvider rLock() {
        return provider(
                "redisson-rlock",
                "Redisson RLock",
                List.of(FAIR_ALONE_IS_FAIR),
                List.of(INTERRUPTS, NOBODY_IS_TOLD),
                oneServer(
                        "A hash with the holder's hold count; a watchdog renews it, and a message wakes waiters",
                        EnumSet.noneOf(Capability.class)),
                new OneServer(RedissonClient::getLock, lock -> {
                    lock.lock();
                    return OptionalLong.empty();
                }));
    }

    /** {@code RedissonClient.getFencedLock}. */
    static PeerProvider rFencedLock() {
        return provider(
                "redisson-rfencedlock",
                "Redisson RFencedLock",
                List.of(FAIR_ALONE_IS_FAIR),
                List.of(
                        INTERRUPTS,
                        NOBODY_IS_TOLD,
                        PeerCard.Finding.byFaults(
                                "Its tokens begin again from 1 when the data of the server is lost.",
                                "restart-empty",
                                "flushall")),
                oneServer("An RLock whose grants are numbered", EnumSet.of(Capability.FENCING)),
                new OneServer(
                        RedissonClient::getFencedLock,
                        lock -> OptionalLong.of(((RFencedLock) lock).lockAndGetToken())));
    }

    /** {@code RedissonClient.getFairLock}. */
    static PeerProvider fairLock() {
        return provider(
                "redisson-fairlock",
                "Redisson fair lock",
                List.of(new PeerCard.Limit(
                        "Waiters queue; one that has died holds up those behind it until a time-out is over.",
                        DOCUMENTATION)),
                List.of(INTERRUPTS, NOBODY_IS_TOLD),
                oneServer(
                        "An RLock with a queue of its waiters on the server, who are served in order",
                        EnumSet.of(Capability.FAIR)),
                new OneServer(RedissonClient::getFairLock, lock -> {
                    lock.lock();
                    return OptionalLong.empty();
                }));
    }

    static PeerProvider provider(
            String name,
            String title,
            List<PeerCard.Limit> documentedLimits,
            List<PeerCard.Finding> findings,
            StrategyProfile profile,
            PeerDriver driver) {
        return new PeerProvider(
                name,
                new PeerCard(
                        title,
                        "org.redisson:redisson",
                        Versions.of("redisson"),
                        DOCUMENTATION,
                        documentedLimits,
                        findings,
                        List.of()),
                profile,
                RedissonDrivers::configuration,
                driver);
    }

    /** Reads the settings of a client, among them those that Redisson chose itself. */
    private static Map<String, String> configuration(LockConfig config) {
        Config settings = settings(RedisEndpoint.allOf(config).get(0), config);
        SingleServerConfig single = settings.useSingleServer();
        return Map.ofEntries(
                Map.entry("checkLockSyncedSlaves", String.valueOf(settings.isCheckLockSyncedSlaves())),
                Map.entry("connectTimeout", millis(single.getConnectTimeout())),
                Map.entry("connectionMinimumIdleSize", String.valueOf(single.getConnectionMinimumIdleSize())),
                Map.entry("connectionPoolSize", String.valueOf(single.getConnectionPoolSize())),
                Map.entry("fairLockWaitTimeout", millis(settings.getFairLockWaitTimeout())),
                Map.entry("lockWatchdogBatchSize", String.valueOf(settings.getLockWatchdogBatchSize())),
                Map.entry("lockWatchdogTimeout", millis(settings.getLockWatchdogTimeout())),
                Map.entry("nettyThreads", String.valueOf(settings.getNettyThreads())),
                Map.entry("retryAttempts", String.valueOf(single.getRetryAttempts())),
                Map.entry("retryDelay", delay(single.getRetryDelay())),
                Map.entry("subscriptionConnectionPoolSize", String.valueOf(single.getSubscriptionConnectionPoolSize())),
                Map.entry("threads", String.valueOf(settings.getThreads())),
                Map.entry("timeout", millis(single.getTimeout())));
    }

    private static String millis(long millis) {
        return millis + " ms";
    }

    private static String delay(DelayStrategy delay) {
        return delay instanceof EqualJitterDelay jitter
                ? millis(jitter.getBaseDelay().toMillis()) + " to "
                        + millis(jitter.getMaxDelay().toMillis()) + ", with jitter"
                : delay.getClass().getSimpleName();
    }

    private static StrategyProfile oneServer(String summary, Set<Capability> more) {
        EnumSet<Capability> capabilities = EnumSet.of(
                Capability.REENTRANT, Capability.AUTO_RENEWAL, Capability.PUSH_WAKEUP, Capability.SAFE_RELEASE);
        capabilities.addAll(more);
        return new StrategyProfile(
                summary,
                capabilities,
                EnumSet.of(
                        Assumption.BOUNDED_CLOCK_RATES,
                        Assumption.NO_FAILOVER,
                        Assumption.NO_EVICTION,
                        Assumption.RESTART_KEEPS_DATA,
                        Assumption.NO_ROLLBACK));
    }

    static RedissonClient client(RedisEndpoint server, LockConfig config) {
        return Redisson.create(settings(server, config));
    }

    private static Config settings(RedisEndpoint server, LockConfig config) {
        Config settings = new Config();
        settings.setLockWatchdogTimeout(config.lockDefaults().lease().toMillis());
        server.username().ifPresent(settings::setUsername);
        server.password().ifPresent(settings::setPassword);
        SingleServerConfig single = settings.useSingleServer();
        single.setAddress((server.tls() ? "rediss" : "redis") + "://" + server.host() + ":" + server.port())
                .setDatabase(server.database())
                .setTimeout(Math.toIntExact(config.commandTimeout().toMillis()));
        return settings;
    }

    /**
     * A lock that one server keeps.
     *
     * @param lock finds the lock of a name
     * @param acquire acquires it, and returns its fencing token if it has one
     */
    private record OneServer(BiFunction<RedissonClient, String, RLock> lock, Function<RLock, OptionalLong> acquire)
            implements PeerDriver {
        @Override
        public PeerClient connect(LockConfig config) {
            return new Client(
                    this,
                    client(RedisEndpoint.allOf(config).get(0), config),
                    config.commandTimeout().dividedBy(2));
        }

        @Override
        public PlainLocks declare(PlainLocks locks) {
            return locks.wakingWaiters().withoutConditions().holdCount(RLock.class, RLock::getHoldCount);
        }
    }

    private record Client(OneServer driver, RedissonClient redisson, Duration patience) implements PeerClient {
        @Override
        public Lock lock(String name) {
            return driver.lock.apply(redisson, name);
        }

        @Override
        public OptionalLong acquire(Lock lock) {
            return driver.acquire.apply((RLock) lock);
        }

        /** Does not wait for all the retries: a holder that is about to write has no time for them. */
        @Override
        public boolean isHeld(String name, Lock lock) {
            try {
                return ((RLock) lock)
                        .isHeldByThreadAsync(Thread.currentThread().getId())
                        .toCompletableFuture()
                        .get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } catch (ExecutionException | TimeoutException e) {
                return false;
            }
        }

        @Override
        public void close() {
            redisson.shutdown();
        }
    }
}
