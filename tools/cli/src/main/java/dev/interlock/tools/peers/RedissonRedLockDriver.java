// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.peers;

import dev.interlock.LockConfig;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyProfile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** {@code RedissonRedLock}: one lock over independent servers. */
final class RedissonRedLockDriver implements PeerDriver {
    private static final int SERVERS = 5;

    private RedissonRedLockDriver() {}

    static PeerProvider redLock() {
        return RedissonDrivers.provider(
                "redisson-redlock",
                "Redisson RedissonRedLock",
                List.of(new PeerCard.Limit(
                        "It is deprecated, in favour of RLock and RFencedLock.",
                        RedissonDrivers.DOCUMENTATION + "#redlock")),
                List.of(
                        PeerCard.Finding.byFaults(
                                "A holder cannot ask whether it still holds the lock: isHeldByCurrentThread() is not"
                                        + " supported.",
                                "flushall",
                                "stopped"),
                        PeerCard.Finding.byRules(
                                "A thread that is interrupted while lock() waits asks again and again without a pause.",
                                "4.1",
                                "4.3"),
                        PeerCard.Finding.byRules(
                                "unlock() by a thread that does not hold the lock throws nothing.", "2.1", "2.5")),
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
                new RedissonRedLockDriver());
    }

    @Override
    public PlainLocks declare(PlainLocks locks) {
        return locks.withoutConditions();
    }

    /** A rule may leave a thread that waits for ever, and only the end of its client ends that. */
    @Override
    public boolean servesManyRules() {
        return false;
    }

    @Override
    public PeerClient connect(LockConfig config) {
        List<RedissonClient> clients = new ArrayList<>();
        try {
            RedisEndpoint.allOf(config).forEach(server -> clients.add(RedissonDrivers.client(server, config)));
        } catch (RuntimeException e) {
            clients.forEach(RedissonClient::shutdown);
            throw e;
        }
        return new Clients(clients);
    }

    private static final class Clients implements PeerClient {
        private final List<RedissonClient> clients;
        private volatile boolean closed;

        Clients(List<RedissonClient> clients) {
            this.clients = clients;
        }

        @Override
        @SuppressWarnings("deprecation") // There is no other lock over several servers in Redisson.
        public Lock lock(String name) {
            return new RedissonRedLock(clients.stream()
                    .map(client -> untilClosed(client.getLock(name)))
                    .toArray(RLock[]::new));
        }

        @Override
        @SuppressWarnings("deprecation")
        public Object bareLock(String name) {
            return new RedissonRedLock(
                    clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
        }

        /**
         * Makes calls on a lock of a closed client fail: Redisson would try again for ever, whatever exception it gets.
         */
        private RLock untilClosed(RLock lock) {
            return (RLock) Proxy.newProxyInstance(
                    RLock.class.getClassLoader(), new Class<?>[] {RLock.class}, (proxy, method, arguments) -> {
                        if (closed) {
                            throw new ClosedClientError();
                        }
                        try {
                            return method.invoke(lock, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        @Override
        public boolean isHeld(String name, Lock lock) {
            return true;
        }

        @Override
        public void close() {
            closed = true;
            clients.forEach(RedissonClient::shutdown);
        }
    }

    private static final class ClosedClientError extends Error {
        private static final long serialVersionUID = 1L;

        ClosedClientError() {
            super("this client is closed");
        }
    }
}
