// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import static dev.interlock.spring.TestRedis.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.spring.TestRedis;
import dev.interlock.spring.boot.InterlockAutoConfiguration;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import dev.interlock.spring.boot.actuate.LocksEndpoint.FactoryDescriptor;
import dev.interlock.spring.boot.actuate.LocksEndpoint.LockDescriptor;
import dev.interlock.spring.boot.actuate.LocksEndpoint.LocksDescriptor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The contents of the actuator endpoint. */
@SuppressWarnings("try")
class LocksEndpointTest {
    private static final String DEFAULT = InterlockAutoConfiguration.DEFAULT_FACTORY;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class,
                    NamedLockFactoriesAutoConfiguration.class,
                    LocksEndpointAutoConfiguration.class))
            .withPropertyValues(
                    "interlock.strategy=set-nx-px",
                    "interlock.command-timeout=30s",
                    "interlock.endpoints=" + TestRedis.SERVER.uri(),
                    "interlock.factories.reports.key-prefix=reports",
                    "management.endpoints.web.exposure.include=locks");
    private final String name = TestRedis.name("a");

    private static FactoryDescriptor describe(LocksEndpoint endpoint) {
        return ((LocksDescriptor) endpoint.locks(null)).factories().get(DEFAULT);
    }

    @Test
    void aLockIsShownWhileItIsHeldAndItsWaitersAreCounted() {
        application.run(context -> {
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            DistributedLock lock =
                    context.getBean(DEFAULT, DistributedLockFactory.class).getLock(name);
            lock.lock();
            long token = lock.lease().orElseThrow().fencingToken().orElseThrow();
            eventually()
                    .untilAsserted(() -> assertThat(describe(endpoint).held())
                            .singleElement()
                            .satisfies(held -> {
                                assertThat(held.name()).isEqualTo(name);
                                assertThat(held.fencingToken()).isEqualTo(token);
                            }));
            CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> {
                lock.lock();
                lock.unlock();
                return true;
            });
            eventually()
                    .untilAsserted(() -> assertThat(describe(endpoint).waiting())
                            .containsExactly(new LocksEndpoint.WaitedLock(name, 1)));
            lock.unlock();
            assertThat(waiter.join()).isTrue();
            eventually().untilAsserted(() -> {
                assertThat(describe(endpoint).held()).isEmpty();
                assertThat(describe(endpoint).waiting()).isEmpty();
            });
            assertThat(((LocksDescriptor) endpoint.locks(null))
                            .factories()
                            .get("reports")
                            .strategy())
                    .isEqualTo("set-nx-px");
        });
    }

    @Test
    void aLossIsCountedAndExplained() {
        application.run(context -> {
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            DistributedLock lock =
                    context.getBean(DEFAULT, DistributedLockFactory.class).getLock(name);
            lock.lock();
            TestRedis.SERVER.command("DEL", "interlock:{" + name + "}");
            assertThat(catchThrowable(lock::unlock)).isInstanceOf(LeaseLostException.class);
            eventually().untilAsserted(() -> {
                FactoryDescriptor described = describe(endpoint);
                assertThat(described.losses()).isEqualTo(1);
                assertThat(described.recentLosses())
                        .singleElement()
                        .satisfies(lost -> assertThat(lost.summary()).isNotBlank());
                assertThat(described.held()).isEmpty();
            });
        });
    }

    @Test
    void ofOneLockItIsToldWhetherAnybodyHoldsIt() throws Exception {
        try (DistributedLockFactory others =
                        DistributedLocks.getInstance("set-nx-px", LockConfig.of(TestRedis.SERVER.uri()));
                LockHandle held = others.getLock(name).acquire()) {
            application.run(context -> {
                LockDescriptor described =
                        (LockDescriptor) context.getBean(LocksEndpoint.class).locks(name);
                assertThat(described.factories().get(DEFAULT).locked()).isTrue();
                assertThat(described.factories().get(DEFAULT).held()).isNull();
                assertThat(described.factories().get("reports").locked()).isFalse();
            });
        }
    }

    @Test
    void aRenewalTellsUntilWhenTheLeaseIsValid() {
        application.run(context -> {
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            DistributedLock lock = context.getBean(DEFAULT, DistributedLockFactory.class)
                    .getLock(name)
                    .withLease(Duration.ofSeconds(6));
            lock.lock();
            eventually()
                    .untilAsserted(() -> assertThat(describe(endpoint).held())
                            .singleElement()
                            .satisfies(held -> assertThat(held.validUntil()).isAfter(held.since())));
            lock.unlock();
        });
    }

    @Test
    void factoriesAreNotWatchedWhereTheEndpointIsNotAvailable() {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LocksEndpoint.class)
                        .doesNotHaveBean(LockBoards.class));
    }
}
