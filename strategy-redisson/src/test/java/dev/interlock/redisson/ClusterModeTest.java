// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.LockSide.Access;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.ReadWriteProtocol.SideClaim;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redisson.keys.RedissonKeys;
import dev.interlock.redisson.keys.RedissonSlots;
import dev.interlock.testservers.CommandMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * A server in cluster mode, which takes no request about keys of several slots, whatever the client believes it to be.
 */
class ClusterModeTest {
    private static Fixture redis;

    @BeforeAll
    static void start() {
        redis = Fixture.clusterOfOne();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static LeaseProtocol protocol(String scheme) {
        LockConfig config = LockConfig.builder()
                .endpoints(scheme + "://127.0.0.1:" + redis.server.port())
                .commandTimeout(Fixture.TIMEOUT)
                .build();
        Settings settings = Settings.of(config);
        RedissonFailures failures = new RedissonFailures("the server");
        return new RedissonProtocol(
                new OwnClient(new ClientConfig(config).build(), failures, Environment.system()),
                new RedissonKeys(config.keyPrefix(), UnaryOperator.identity(), scheme.equals("redis-cluster")),
                settings,
                failures,
                config,
                Environment.system());
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "redis-cluster"})
    void locksOfManySlotsAreRenewedAndReleasedWithOneRequestForEachSlot(String scheme) {
        try (LeaseProtocol protocol = protocol(scheme)) {
            List<Claim> claims = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                claims.add(new Claim(
                        "{" + i / 2 + "} " + i, Environment.system().newToken(), Fixture.LONG, Fixture.TIMEOUT, 1));
            }
            assertThat(claims).map(protocol::attempt).allMatch(Attempt.Granted.class::isInstance);
            assertThat(protocol.renew(claims)).allMatch(Renewal.Renewed.class::isInstance);
            assertThat(protocol.renew(claims)).allMatch(Renewal.Renewed.class::isInstance);
            // So that the server knows the script.
            protocol.release(claims.get(0));
            try (CommandMonitor monitor = redis.server.monitor()) {
                protocol.releaseAll(claims);
                monitor.sync();
                assertThat(monitor.commands())
                        .filteredOn(command -> command.get(0).equals("EVALSHA"))
                        .hasSize(10);
            }
            assertThat(claims).map(Claim::name).noneMatch(protocol::isLocked);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "redis-cluster"})
    void sidesOfReadWriteLocksInManySlotsAreRenewedAndReleased(String scheme) {
        try (LeaseProtocol protocol = protocol(scheme)) {
            ReadWriteProtocol sides = protocol.readWrite().orElseThrow();
            List<SideClaim> claims = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                LockSide side = new LockSide(i % 2 == 0 ? Access.READ : Access.WRITE, "t1", "shared " + i);
                claims.add(new SideClaim(
                        side,
                        new Claim(side.key(), Environment.system().newToken(), Fixture.LONG, Fixture.TIMEOUT, 1),
                        Optional.empty()));
            }
            assertThat(claims).map(sides::attempt).allMatch(Attempt.Granted.class::isInstance);
            assertThat(sides.renew(claims)).allMatch(Renewal.Renewed.class::isInstance);
            sides.releaseAll(claims);
            assertThat(claims).map(SideClaim::side).noneMatch(sides::isLocked);
            assertThat(sides.renew(claims)).allMatch(Renewal.Lost.class::isInstance);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"invoice", "x{a}y", "a{b", "{}c"})
    void aReadWriteLockOfAnyNameIsInOneSlot(String name) {
        LockConfig config = LockConfig.builder()
                .endpoints("redis-cluster://127.0.0.1:" + redis.server.port())
                .commandTimeout(Fixture.TIMEOUT)
                .build();
        try (DistributedLockFactory factory = new RedissonStrategyProvider().newFactory(config)) {
            DistributedReadWriteLock lock = factory.getReadWriteLock(name, Fixture.lease(Fixture.LONG));
            lock.writeLock().lock();
            lock.readLock().lock();
            lock.writeLock().unlock();
            assertThat(lock.readLock().isLocked()).isTrue();
            assertThat(lock.writeLock().isLocked()).isFalse();
            lock.readLock().unlock();
            assertThat(redis.server.command("EXISTS", name)).isEqualTo(0L);
        }
    }

    @Test
    void aReleaseOfManySlotsFreesThemAll() {
        try (LeaseProtocol protocol = protocol("redis")) {
            List<Claim> claims = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                claims.add(new Claim("name " + i, Environment.system().newToken(), Fixture.LONG, Fixture.TIMEOUT, 1));
            }
            assertThat(claims).map(protocol::attempt).allMatch(Attempt.Granted.class::isInstance);
            protocol.releaseAll(claims);
            assertThat(claims).map(Claim::name).noneMatch(protocol::isLocked);
        }
    }

    @ParameterizedTest
    @CsvSource({"foo", "{user1000}.following", "foo{}{bar}", "foo{{bar}}zap", "foo{bar}{zap}", "grün", "a{b", "'a}b{c}'"
    })
    void slotsAreThoseOfTheServer(String key) {
        assertThat((long) RedissonSlots.of(key)).isEqualTo(redis.server.command("CLUSTER", "KEYSLOT", key));
    }

    @Test
    void aPlainLockWhoseKeysRedissonSpreadsOverSlotsCannotBeUnlocked() {
        Config config = new Config();
        Fixture.patient(config.useClusterServers())
                .addNodeAddress(redis.server.uri())
                .setMasterConnectionMinimumIdleSize(1);
        RedissonClient client = Redisson.create(config);
        try {
            RLock plain = client.getLock("odd {name");
            assertThat(plain.tryLock()).isTrue();
            assertThatThrownBy(plain::unlock).hasStackTraceContaining("CROSSSLOT");
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void theLaneOfALockIsTheNodeOfItsSlot() {
        try (LeaseProtocol cluster = protocol("redis-cluster");
                LeaseProtocol single = protocol("redis")) {
            assertThat(cluster.isLocked("a")).isFalse();
            assertThat(cluster.lane("a"))
                    .contains(Integer.toString(redis.server.port()))
                    .isEqualTo(cluster.lane("b"));
            assertThat(single.lane("a")).isEmpty();
        }
    }

    @Tag("deep")
    @Test
    void manyHeldLocksOutliveSeveralLeasesThoughTheTopologyIsWrong() {
        DistributedLockFactory factory = redis.factory(config -> config);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            DistributedLock lock = factory.getLock("many " + i, Fixture.lease(Duration.ofSeconds(9)));
            lock.lock();
            leases.add(lock.lease().orElseThrow());
        }
        long afterTwoLeases = System.nanoTime() + TimeUnit.SECONDS.toNanos(18);
        await().atMost(Fixture.PATIENCE).until(() -> {
            assertThat(leases).allMatch(Lease::isValid);
            return leases.stream().allMatch(lease -> end(lease) > afterTwoLeases);
        });
        for (int i = 0; i < 100; i++) {
            factory.getLock("many " + i).unlock();
        }
        assertThat(redis.server.command("EXISTS", "many 0")).isEqualTo(0L);
    }

    private static long end(Lease lease) {
        return System.nanoTime() + lease.remaining().toNanos();
    }
}
