// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import dev.interlock.spi.Assumption;
import dev.interlock.spi.Capability;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.ServerNeeds;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/**
 * Strategies whose results are known: one that works, one that never excludes anybody, one that never answers, one that
 * breaks the rules about interrupts, one that promises too much, and one that wants three servers.
 */
public final class TestStrategies {
    public static final String WORKING = "test-working";
    public static final String BROKEN = "test-broken";
    public static final String FAILING = "test-failing";
    public static final String CARELESS = "test-careless";
    public static final String BOASTFUL = "test-boastful";
    public static final String TRIO = "test-trio";

    private TestStrategies() {}

    private abstract static class Provider implements LockStrategyProvider {
        private final String name;

        Provider(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public StrategyProfile profile() {
            return new StrategyProfile(
                    "Made up for the tests of the comparison, as " + name + ".",
                    Set.of(Capability.REENTRANT),
                    Set.of(Assumption.NO_EVICTION, Assumption.NO_FAILOVER));
        }

        @Override
        public List<StrategyOption> options() {
            return List.of(new StrategyOption("colour", "blue", "the colour of the lock"));
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            return new TestLockFactory(name, profile(), door(config));
        }

        abstract TestLockFactory.Door door(LockConfig config);
    }

    /** Takes a lock by one command and gives it back by another. */
    public static final class WorkingStrategyProvider extends Provider {
        public WorkingStrategyProvider() {
            super(WORKING);
        }

        @Override
        TestLockFactory.Door door(LockConfig config) {
            RedisEndpoint endpoint = RedisEndpoint.of(config.endpoints().get(0));
            return new RedisDoor(new Jedis(endpoint.host(), endpoint.port()));
        }
    }

    private record RedisDoor(Jedis jedis) implements TestLockFactory.Door {
        @Override
        public boolean enter(String name) {
            synchronized (jedis) {
                return jedis.set(name, "taken", SetParams.setParams().nx().px(60_000)) != null;
            }
        }

        @Override
        public void leave(String name) {
            synchronized (jedis) {
                jedis.del(name);
            }
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    /** Wants three servers, can do with two, and uses the last of them. */
    public static final class TrioStrategyProvider extends Provider {
        public TrioStrategyProvider() {
            super(TRIO);
        }

        @Override
        public StrategyProfile profile() {
            return new StrategyProfile(
                    "Made up for the tests of the comparison, on three servers.",
                    "agree in threes",
                    ServerNeeds.independent(2, 3),
                    Set.of(Capability.REENTRANT),
                    Set.of(Assumption.NO_EVICTION));
        }

        @Override
        public List<StrategyOption> options() {
            return List.of(
                    new StrategyOption("colour", "blue", "the colour of the lock").inTrials("red"),
                    new StrategyOption("temper", "calm", "calm or bold: bold trusts servers that have restarted")
                            .inTrials("bold")
                            .mixedWith("mild"));
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            boolean bold = config.option("temper").equals(Optional.of("bold"));
            StrategyProfile usual = profile();
            return new TestLockFactory(
                    TRIO,
                    bold
                            ? new StrategyProfile(
                                    usual.summary(),
                                    usual.purpose(),
                                    usual.servers(),
                                    usual.capabilities(),
                                    Set.of(Assumption.NO_EVICTION, Assumption.RESTART_KEEPS_DATA))
                            : usual,
                    door(config));
        }

        @Override
        TestLockFactory.Door door(LockConfig config) {
            List<RedisEndpoint> endpoints = RedisEndpoint.allOf(config);
            if (endpoints.size() != 3) {
                throw new IllegalArgumentException("three servers are wanted, not " + endpoints.size());
            }
            return new RedisDoor(
                    new Jedis(endpoints.get(2).host(), endpoints.get(2).port()));
        }
    }

    /** Lets everybody in. */
    public static final class BrokenStrategyProvider extends Provider {
        public BrokenStrategyProvider() {
            super(BROKEN);
        }

        @Override
        TestLockFactory.Door door(LockConfig config) {
            return name -> true;
        }
    }

    /** Lets nobody in. */
    public static final class FailingStrategyProvider extends Provider {
        public FailingStrategyProvider() {
            super(FAILING);
        }

        @Override
        TestLockFactory.Door door(LockConfig config) {
            return name -> {
                throw new LockBackendException(LockBackendException.Reason.REFUSED, "the test wants it so");
            };
        }
    }

    /** Works, except that {@code lock()} forgets interrupts. */
    public static final class CarelessStrategyProvider implements LockStrategyProvider {
        private final LockStrategyProvider careful = new SetNxPxStrategyProvider();

        @Override
        public String name() {
            return CARELESS;
        }

        @Override
        public StrategyProfile profile() {
            return careful.profile();
        }

        @Override
        public List<StrategyOption> options() {
            return careful.options();
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            return careless(DistributedLockFactory.class, careful.newFactory(config));
        }

        private static <T> T careless(Class<T> type, T careful) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                        try {
                            Object result = method.invoke(careful, args);
                            if (method.getName().equals("lock")) {
                                Thread.interrupted();
                            }
                            return result instanceof DistributedLock lock
                                    ? careless(DistributedLock.class, lock)
                                    : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }

    /** Works, but says that it takes nothing for granted. */
    public static final class BoastfulStrategyProvider implements LockStrategyProvider {
        private final LockStrategyProvider modest = new SetNxPxStrategyProvider();

        @Override
        public String name() {
            return BOASTFUL;
        }

        @Override
        public StrategyProfile profile() {
            return new StrategyProfile("A false profile.", modest.profile().capabilities(), Set.of());
        }

        @Override
        public List<StrategyOption> options() {
            return List.of();
        }

        @Override
        public DistributedLockFactory newFactory(LockConfig config) {
            DistributedLockFactory factory = modest.newFactory(config);
            return (DistributedLockFactory) Proxy.newProxyInstance(
                    DistributedLockFactory.class.getClassLoader(),
                    new Class<?>[] {DistributedLockFactory.class},
                    (proxy, method, args) ->
                            method.getName().equals("profile") ? profile() : method.invoke(factory, args));
        }
    }
}
