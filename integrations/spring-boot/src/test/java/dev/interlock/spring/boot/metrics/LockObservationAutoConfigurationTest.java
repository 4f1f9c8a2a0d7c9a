// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import dev.interlock.micrometer.LockMetrics;
import dev.interlock.micrometer.ObservedLocks;
import dev.interlock.spring.TestRedis;
import dev.interlock.spring.boot.InterlockAutoConfiguration;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locks are observed without any configuration, once the dependency is on the class path. */
class LockObservationAutoConfigurationTest {
    private final String name = "order:" + TestRedis.name("a");
    private final List<Observation.Context> ended = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class,
                    NamedLockFactoriesAutoConfiguration.class,
                    LockObservationAutoConfiguration.class))
            .withPropertyValues(
                    "interlock.strategy=set-nx-px",
                    "interlock.command-timeout=30s",
                    "interlock.endpoints=" + TestRedis.SERVER.uri(),
                    "interlock.factories.reports.key-prefix=reports");
    private final ApplicationContextRunner withRegistry =
            application.withBean(ObservationRegistry.class, this::listening);

    private ObservationRegistry listening() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                ended.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    private void pair(DistributedLockFactory factory) throws InterruptedException {
        LockHandle handle = factory.getLock(name).acquire();
        handle.close();
    }

    private List<String> names() {
        return ended.stream().map(Observation.Context::getName).toList();
    }

    private List<String> groups() {
        return ended.stream()
                .map(context -> String.valueOf(context.getLowCardinalityKeyValue("group")))
                .distinct()
                .toList();
    }

    @Test
    void acquisitionsAndHoldsOfEachFactoryAreObserved() {
        withRegistry.withPropertyValues("interlock.metrics.group-separator=:").run(context -> {
            for (String factory : List.of("reports", InterlockAutoConfiguration.DEFAULT_FACTORY)) {
                ended.clear();
                pair(context.getBean(factory, DistributedLockFactory.class));
                assertThat(names()).containsExactly("interlock.acquisition", "interlock.hold");
                assertThat(groups()).hasSize(1).allMatch(group -> group.contains("order"));
            }
        });
    }

    @Test
    void aFactoryThatIsObservedIsClosedWithTheApplication() {
        withRegistry.run(context -> {
            DistributedLockFactory factory = context.getBean("reports", DistributedLockFactory.class);
            LockHandle handle = factory.getLock(name).acquire();
            context.close();
            assertThat(handle.isValid()).isFalse();
        });
    }

    @Test
    void observedLocksOfTheApplicationSayHow() {
        withRegistry
                .withBean(
                        ObservedLocks.class,
                        () -> ObservedLocks.builder(listening())
                                .group(lock -> "mine")
                                .build())
                .run(context -> {
                    pair(context.getBean("reports", DistributedLockFactory.class));
                    assertThat(groups()).hasSize(1).allMatch(group -> group.contains("mine"));
                });
    }

    @Test
    void withoutRegistryOrModuleOrIfSwitchedOffNothingIsObserved() {
        application.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ObservedLocks.class));
        withRegistry.withPropertyValues("interlock.observations.enabled=false").run(context -> {
            pair(context.getBean("reports", DistributedLockFactory.class));
            assertThat(ended).isEmpty();
        });
        withRegistry
                .withClassLoader(new FilteredClassLoader(ObservedLocks.class, LockMetrics.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean("reports")
                        .doesNotHaveBean("interlockObservedLocks"));
    }
}
