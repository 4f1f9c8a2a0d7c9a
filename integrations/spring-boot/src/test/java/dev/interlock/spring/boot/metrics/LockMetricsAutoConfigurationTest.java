// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLockFactory;
import dev.interlock.micrometer.LockMetrics;
import dev.interlock.spring.TestRedis;
import dev.interlock.spring.boot.InterlockAutoConfiguration;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locks have metrics without any configuration, once the dependency is on the class path. */
class LockMetricsAutoConfigurationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String name = "order:" + TestRedis.name("a");
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class,
                    NamedLockFactoriesAutoConfiguration.class,
                    LockMetricsAutoConfiguration.class))
            .withPropertyValues(
                    "interlock.strategy=set-nx-px",
                    "interlock.command-timeout=30s",
                    "interlock.endpoints=" + TestRedis.SERVER.uri(),
                    "interlock.factories.reports.key-prefix=reports");
    private final ApplicationContextRunner withRegistry = application.withConfiguration(AutoConfigurations.of(
            MetricsAutoConfiguration.class,
            SimpleMetricsExportAutoConfiguration.class,
            CompositeMeterRegistryAutoConfiguration.class));

    private static void awaitHeld(MeterRegistry meters, String factory, String group, double locks) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Gauge held = meters.find("interlock.lock.held")
                    .tag("factory", factory)
                    .tag("group", group)
                    .gauge();
            assertThat(held).as(meters.getMeters().toString()).isNotNull();
            assertThat(held.value()).isEqualTo(locks);
        });
    }

    @Test
    void whatEachFactoryHoldsIsMeasuredUnderItsName() {
        withRegistry.run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            DistributedLockFactory reports = context.getBean("reports", DistributedLockFactory.class);
            DistributedLockFactory others =
                    context.getBean(InterlockAutoConfiguration.DEFAULT_FACTORY, DistributedLockFactory.class);
            reports.getLock(name).lock();
            others.getLock(name).lock();
            others.getLock(name).unlock();

            awaitHeld(meters, "reports", "all", 1);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(meters.get("interlock.lock.hold")
                                    .tag("factory", InterlockAutoConfiguration.DEFAULT_FACTORY)
                                    .tag("outcome", "released")
                                    .timer()
                                    .count())
                            .isEqualTo(1));
        });
    }

    @Test
    void theServersOfEachFactoryAreMeasuredUnderItsName() {
        withRegistry
                .withPropertyValues(
                        "interlock.factories.quorum.strategy=redlock",
                        "interlock.factories.quorum.endpoints=redis://a.invalid:1,redis://b.invalid:2,redis://c.invalid:3")
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.find("interlock.server.voting")
                                    .tags("factory", "quorum", "strategy", "redlock", "server", "b.invalid:2")
                                    .gauge()
                                    .value())
                            .isZero();
                    assertThat(meters.find("interlock.server.voting").gauges()).hasSize(3);
                });
    }

    @Test
    void aSeparatorInTheNamesOfLocksMakesGroups() {
        withRegistry.withPropertyValues("interlock.metrics.group-separator=:").run(context -> {
            context.getBean("reports", DistributedLockFactory.class)
                    .getLock(name)
                    .lock();
            awaitHeld(context.getBean(MeterRegistry.class), "reports", "order", 1);
        });
    }

    @Test
    void metricsOfTheApplicationTakeTheirPlace() {
        withRegistry
                .withBean(LockMetrics.class, () -> LockMetrics.builder().build())
                .run(context -> {
                    context.getBean("reports", DistributedLockFactory.class)
                            .getLock(name)
                            .lock();
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    await().atMost(PATIENCE)
                            .until(() -> meters.find("interlock.lock.held").gauge() != null);
                    assertThat(meters.find("interlock.lock.held")
                                    .tagKeys("factory")
                                    .gauge())
                            .isNull();
                });
    }

    @Test
    void withoutRegistryOrModuleOrIfSwitchedOffNothingIsMeasured() {
        application.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FactoryMetrics.class));
        withRegistry
                .withPropertyValues("interlock.metrics.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FactoryMetrics.class));
        withRegistry
                .withClassLoader(new FilteredClassLoader(LockMetrics.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean("reports")
                        .doesNotHaveBean("interlockFactoryMetrics"));
    }
}
