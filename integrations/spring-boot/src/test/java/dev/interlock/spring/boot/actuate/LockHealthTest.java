// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spring.TestRedis;
import dev.interlock.spring.boot.InterlockAutoConfiguration;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import dev.interlock.testservers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The health of the servers of locks, as the health endpoint shows it. */
class LockHealthTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    InterlockAutoConfiguration.class,
                    NamedLockFactoriesAutoConfiguration.class,
                    LockHealthAutoConfiguration.class))
            .withPropertyValues(
                    "interlock.strategy=set-nx-px",
                    "interlock.command-timeout=30s",
                    "interlock.endpoints=" + TestRedis.SERVER.uri());

    @Test
    void serversThatAnswerAreUpAndNoLockIsTakenForThat() {
        // A server of its own: other tests take locks meanwhile.
        try (RedisServer server = RedisServer.start()) {
            application
                    .withPropertyValues("interlock.endpoints=" + server.uri())
                    .run(context -> assertNoLockIsTaken(context, server));
        }
    }

    private static void assertNoLockIsTaken(ApplicationContext context, RedisServer server) {
        HealthIndicator indicator = context.getBean("interlockHealthContributor", HealthIndicator.class);
        try (var monitor = server.monitor()) {
            Health health = indicator.health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("strategy", "set-nx-px");
            monitor.sync();
            assertThat(monitor.commands())
                    .extracting(command -> command.get(0).toUpperCase(java.util.Locale.ROOT))
                    .doesNotContainAnyElementsOf(List.of("SET", "EVAL", "EVALSHA", "DEL"));
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsDown() {
        application
                .withPropertyValues("interlock.endpoints=redis://localhost:1")
                .run(context -> {
                    Health health = context.getBean("interlockHealthContributor", HealthIndicator.class)
                            .health();
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails().get("error").toString()).contains("localhost:1");
                });
    }

    @Test
    void eachFactoryHasItsOwn() {
        application
                .withPropertyValues("interlock.factories.far.endpoints=redis://localhost:1")
                .run(context -> assertThat(
                                context.getBean("interlockHealthContributor", CompositeHealthContributor.class).stream()
                                        .map(entry -> entry.name()))
                        .containsExactlyInAnyOrder("distributedLockFactory", "far"));
    }

    @Test
    void thereIsNoneWhereItIsSwitchedOffOrHealthIsNotThere() {
        application
                .withPropertyValues("management.health.interlock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("interlockHealthContributor"));
        application
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("interlockHealthContributor"));
    }
}
