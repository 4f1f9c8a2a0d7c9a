// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/** Locks of Redisson, over clients as they come but for the lease and the time-out. */
final class RedissonPeer {
    private static final int SERVERS = 5;
    private static final String DOCUMENTATION = "https://redisson.pro/docs/data-and-services/locks-and-synchronizers/";
    private static final List<String> LIMITS = List.of(
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
                new OneServer() {
                    @Override
                    public PeerClient connect(LockConfig config) {
                        return new Client(config) {
                            @Override
                            public Lock lock(String name) {
                                return redisson.getLock(name);
                            }
                        };
                    }
                });
    }

    /** {@code RedissonClient.getFencedLock}. */
    static PeerProvider rFencedLock() {
        return provider(
                "redisson-rfencedlock",
                "Redisson RFencedLock",
                LIMITS,
                oneServer("An RLock whose grants are numbered", EnumSet.of(Capability.FENCING)),
                new OneServer() {
                    @Override
                    public PeerClient connect(LockConfig config) {
                        return new Client(config) {
                            @Override
                            public Lock lock(String name) {
                                return redisson.getFencedLock(name);
                            }

                            @Override
                            public OptionalLong acquire(Lock lock) {
                                return OptionalLong.of(((RFencedLock) lock).lockAndGetToken());
                            }
                        };
                    }
                });
    }

    /** {@code RedissonRedLock}: one lock over independent servers. */
    static PeerProvider redLock() {
        return provider(
                "redisson-redlock",
                "Redisson RedissonRedLock",
                List.of(
                        "Its makers have deprecated it, in favour of RLock and RFencedLock.",
                        "A holder cannot ask whether it still holds the lock: isHeldByCurrentThread() is not supported.",
                        LIMITS.get(0)),
                new StrategyProfile(
                        "An RLock on each of several servers, of which a majority must grant it",
                        "",
                        ServerNeeds.independent(3, SERVERS),
                        EnumSet.of(
                                Capability.REENTRANT,
                                Capability.AUTO_RENEWAL,
                                Capability.QUORUM,
                                Capability.SAFE_RELEASE),
                        EnumSet.of(
                                Assumption.BOUNDED_CLOCK_RATES,
                                Assumption.NO_FAILOVER,
                                Assumption.NO_EVICTION,
                                Assumption.RESTART_KEEPS_DATA,
                                Assumption.NO_ROLLBACK,
                                Assumption.MAJORITY_UP,
                                Assumption.SAME_SERVERS)),
                new OverSeveralServers());
    }

    private static PeerProvider provider(
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

    private static final class OverSeveralServers implements PeerDriver {
        @Override
        public PlainLocks declare(PlainLocks locks) {
            return locks.withoutConditions();
        }

        @Override
        public PeerClient connect(LockConfig config) {
            List<RedissonClient> clients = new ArrayList<>();
            try {
                RedisEndpoint.allOf(config).forEach(server -> clients.add(client(server, config)));
            } catch (RuntimeException e) {
                clients.forEach(RedissonClient::shutdown);
                throw e;
            }
            return new Clients(clients);
        }

        private record Clients(List<RedissonClient> clients) implements PeerClient {
            @Override
            @SuppressWarnings("deprecation") // There is no other lock over several servers in Redisson.
            public Lock lock(String name) {
                return new RedissonRedLock(
                        clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
            }

            @Override
            public boolean isHeld(String name, Lock lock) {
                return true;
            }

            @Override
            public void close() {
                clients.forEach(RedissonClient::shutdown);
            }
        }
    }

    private abstract static class OneServer implements PeerDriver {
        @Override
        public final PlainLocks declare(PlainLocks locks) {
            return locks.wakingWaiters().withoutConditions().holdCount(RLock.class, RLock::getHoldCount);
        }
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

    private static RedissonClient client(RedisEndpoint server, LockConfig config) {
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

    private abstract static class Client implements PeerClient {
        final RedissonClient redisson;
        private final Duration patience;

        Client(LockConfig config) {
            this.redisson = client(RedisEndpoint.allOf(config).get(0), config);
            this.patience = config.commandTimeout().dividedBy(2);
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
