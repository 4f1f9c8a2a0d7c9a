// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.Lease;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.redlock.AttemptReport;
import dev.interlock.spi.Capability;
import dev.interlock.spring.TestRedis;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import redis.clients.jedis.RedisClient;

/** The factories that are made, and their connections. */
class InterlockAutoConfigurationTest {
    private static RedisServer guarded;

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(InterlockAutoConfiguration.class, NamedLockFactoriesAutoConfiguration.class));
    private final ApplicationContextRunner application = bare.withPropertyValues(
            "interlock.strategy=set-nx-px",
            "interlock.command-timeout=30s",
            "interlock.endpoints=" + TestRedis.SERVER.uri());

    @BeforeAll
    static void startServer() {
        guarded = RedisServer.start("--requirepass", "p@ss/w:rd %");
    }

    @AfterAll
    static void stopServer() {
        guarded.close();
    }

    private static void whileLocked(DistributedLockFactory factory, Consumer<Lease> action) {
        DistributedLock lock = factory.getLock(TestRedis.name("a"));
        assertThat(lock.tryLock()).isTrue();
        try {
            action.accept(lock.lease().orElseThrow());
        } finally {
            lock.unlock();
        }
    }

    private static boolean isHeld(Lease lease) {
        return TestRedis.isHeld(lease.lockName());
    }

    private static boolean isHeldOnTheGuardedServer(Lease lease) {
        return Long.valueOf(1).equals(guardedCommand("EXISTS", "interlock:{" + lease.lockName() + "}"));
    }

    private static Object guardedCommand(String... command) {
        guarded.command("AUTH", "p@ss/w:rd %");
        return guarded.command(command);
    }

    @Test
    void theServersOfSpringDataRedisKeepTheLocks() {
        bare.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues(
                        "interlock.strategy=set-nx-px",
                        "interlock.command-timeout=30s",
                        "spring.data.redis.port=" + guarded.port(),
                        "spring.data.redis.password=p@ss/w:rd %")
                .run(context -> whileLocked(
                        context.getBean(DistributedLockFactory.class),
                        lease -> assertThat(isHeldOnTheGuardedServer(lease)).isTrue()));
    }

    @Test
    void detailsOfAConnectionServeAsThoseOfAContainerDo() {
        bare.withPropertyValues("interlock.strategy=set-nx-px", "spring.data.redis.port=1")
                .withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {
                    @Override
                    public String getPassword() {
                        return "p@ss/w:rd %";
                    }

                    @Override
                    public Standalone getStandalone() {
                        return Standalone.of("localhost", guarded.port());
                    }
                })
                .run(context -> whileLocked(
                        context.getBean(DistributedLockFactory.class),
                        lease -> assertThat(isHeldOnTheGuardedServer(lease)).isTrue()));
    }

    @Test
    void endpointsWinOverSpringDataRedis() {
        application
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues("spring.data.redis.port=1")
                .run(context -> whileLocked(
                        context.getBean(DistributedLockFactory.class),
                        lease -> assertThat(isHeld(lease)).isTrue()));
    }

    @Test
    void withoutSpringDataRedisEndpointsSuffice() {
        application
                .withClassLoader(new FilteredClassLoader(DataRedisConnectionDetails.class))
                .run(context -> assertThat(context).hasSingleBean(DistributedLockFactory.class));
    }

    @Test
    void aClientOfTheApplicationIsUsedAndStaysOpen() {
        application
                .withBean("locksClient", RedisClient.class, () -> RedisClient.create(TestRedis.SERVER.uri()))
                .withPropertyValues("interlock.endpoints=", "interlock.client-bean=locksClient")
                .run(context -> {
                    DistributedLockFactory factory = context.getBean(DistributedLockFactory.class);
                    whileLocked(factory, lease -> assertThat(isHeld(lease)).isTrue());
                    factory.close();
                    assertThat(context.getBean(RedisClient.class).ping()).isEqualTo("PONG");
                });
    }

    @Test
    void aLettuceClientOfTheApplicationIsUsed() {
        application
                .withBean("locksClient", io.lettuce.core.RedisClient.class, io.lettuce.core.RedisClient::create)
                .withPropertyValues("interlock.client-bean=locksClient")
                .run(context -> whileLocked(
                        context.getBean(DistributedLockFactory.class),
                        lease -> assertThat(isHeld(lease)).isTrue()));
    }

    @Test
    void theSettingsReachTheFactory() {
        application
                .withPropertyValues(
                        "interlock.key-prefix=shop",
                        "interlock.lease=7s",
                        "interlock.renewal=false",
                        "interlock.option.fencing=false")
                .run(context -> {
                    DistributedLockFactory factory = context.getBean(DistributedLockFactory.class);
                    assertThat(factory.profile().supports(Capability.FENCING)).isFalse();
                    whileLocked(factory, lease -> {
                        assertThat(TestRedis.isHeld(TestRedis.SERVER, "shop", lease.lockName()))
                                .isTrue();
                        assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(7));
                        assertThat(lease.fencingToken()).isEmpty();
                    });
                });
    }

    @Test
    void factoriesByNameStandBesideTheDefaultOne() {
        application
                .withUserConfiguration(Injected.class)
                .withPropertyValues(
                        "interlock.lease=7s",
                        "interlock.factories.reports.key-prefix=reports",
                        "interlock.factories.quorum.strategy=redlock",
                        "interlock.factories.quorum.endpoints=redis://localhost:1,redis://localhost:2,redis://localhost:3")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBeansOfType(DistributedLockFactory.class))
                            .containsOnlyKeys("distributedLockFactory", "reports", "quorum");
                    Injected injected = context.getBean(Injected.class);
                    assertThat(injected.unnamed).isSameAs(context.getBean("distributedLockFactory"));
                    assertThat(injected.quorum.strategy()).isEqualTo("redlock");
                    whileLocked(injected.reports, lease -> {
                        assertThat(TestRedis.isHeld(TestRedis.SERVER, "reports", lease.lockName()))
                                .isTrue();
                        assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(7));
                    });
                });
    }

    @Test
    void aFactoryOfTheApplicationReplacesTheDefaultOneAndStaysItsOwn() {
        try (DistributedLockFactory own =
                DistributedLocks.getInstance("set-nx-px", LockConfig.of(TestRedis.SERVER.uri()))) {
            application
                    .withBean("own", DistributedLockFactory.class, () -> own)
                    .run(context -> assertThat(context.getBean(DistributedLockFactory.class))
                            .isSameAs(own));
        }
    }

    @Test
    void nothingIsMadeWhereItIsSwitchedOff() {
        application
                .withPropertyValues("interlock.enabled=false", "interlock.factories.reports.key-prefix=reports")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DistributedLockFactory.class));
    }

    @Test
    void customizersAndListenersAreCalledForEachFactory() {
        List<String> customized = new CopyOnWriteArrayList<>();
        List<String> acquired = new CopyOnWriteArrayList<>();
        application
                .withPropertyValues("interlock.factories.reports.key-prefix=reports")
                .withBean(LockConfigCustomizer.class, () -> (factory, config) -> {
                    customized.add(factory);
                    config.keyPrefix("custom");
                })
                .withBean(LockListener.class, () -> new LockListener() {
                    @Override
                    public void acquired(Acquired event) {
                        acquired.add(event.lockName());
                    }
                })
                .run(context -> {
                    assertThat(customized).containsExactlyInAnyOrder("distributedLockFactory", "reports");
                    whileLocked(context.getBean("reports", DistributedLockFactory.class), lease -> {
                        assertThat(TestRedis.isHeld(TestRedis.SERVER, "custom", lease.lockName()))
                                .isTrue();
                        TestRedis.eventually().until(() -> acquired.contains(lease.lockName()));
                    });
                });
    }

    @Test
    void aListenerToTheAttemptsOfRedlockHearsOfEachVote() {
        List<AttemptReport> attempts = new CopyOnWriteArrayList<>();
        AttemptReport.Listener listener = attempts::add;
        try (RedisServer second = RedisServer.start()) {
            bare.withPropertyValues(
                            "interlock.strategy=redlock",
                            "interlock.command-timeout=30s",
                            "interlock.option.cold-start=trust",
                            "interlock.endpoints=" + TestRedis.SERVER.uri() + "," + second.uri()
                                    + ",redis://127.0.0.1:1")
                    .withBean(AttemptReport.Listener.class, () -> listener)
                    .run(context -> whileLocked(context.getBean(DistributedLockFactory.class), lease -> {
                        AttemptReport last = attempts.get(attempts.size() - 1);
                        assertThat(last.lockName()).isEqualTo(lease.lockName());
                        assertThat(last.outcome()).isEqualTo(AttemptReport.Outcome.GRANTED);
                        assertThat(last.nodes()).hasSize(3);
                    }));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Injected {
        @Autowired
        DistributedLockFactory unnamed;

        @Autowired
        @Qualifier("reports")
        DistributedLockFactory reports;

        @Autowired
        @Qualifier("quorum")
        DistributedLockFactory quorum;
    }
}
