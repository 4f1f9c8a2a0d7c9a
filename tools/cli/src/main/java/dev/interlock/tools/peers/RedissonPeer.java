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
import org.redisson.config.SingleServerConfig;

/** Locks of Redisson, over clients as they come but for the lease and the time-out. */
final class RedissonPeer {
    private static final String DOCUMENTATION = "https://redisson.pro/docs/data-and-services/locks-and-synchronizers/";
    static final List<String> LIMITS = List.of(
            "A thread that is interrupted before the reply to its command is there gets a RedisException, from lock() and"
                    + " unlock() too.",
            "Nobody is told when a lock is lost; the holder can ask the server with isHeldByCurrentThread().");

    private RedissonPeer() {}

    /** {@code RedissonClient.getLock}. */
    static PeerProvider rLock() {
        return provider(
                "redisson-rlock",
                "Redisson RLock",
                LIMITS,
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
                LIMITS,
                oneServer("An RLock whose grants are numbered", EnumSet.of(Capability.FENCING)),
                new OneServer(
                        RedissonClient::getFencedLock,
                        lock -> OptionalLong.of(((RFencedLock) lock).lockAndGetToken())));
    }

    static PeerProvider provider(
            String name, String title, List<String> limits, StrategyProfile profile, PeerDriver driver) {
        return new PeerProvider(
                name,
                new PeerCard(title, "org.redisson:redisson", Versions.of("redisson"), DOCUMENTATION, limits),
                profile,
                Map.of(
                        "lockWatchdogTimeout", "the lease (30 s by default), renewed at each third",
                        "timeout", "the command time-out (3 s by default)",
                        "retryAttempts", "as it comes"),
                driver);
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
        Config settings = new Config();
        settings.setLockWatchdogTimeout(config.lockDefaults().lease().toMillis());
        server.username().ifPresent(settings::setUsername);
        server.password().ifPresent(settings::setPassword);
        SingleServerConfig single = settings.useSingleServer();
        single.setAddress((server.tls() ? "rediss" : "redis") + "://" + server.host() + ":" + server.port())
                .setDatabase(server.database())
                .setTimeout(Math.toIntExact(config.commandTimeout().toMillis()));
        return Redisson.create(settings);
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
