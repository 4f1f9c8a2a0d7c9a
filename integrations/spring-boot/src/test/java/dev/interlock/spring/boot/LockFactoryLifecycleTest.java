// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.spring.TestRedis;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * When the application ends, locks are released after the sources of work have stopped and before the beans are
 * destroyed.
 */
class LockFactoryLifecycleTest {
    private final List<String> seen = new ArrayList<>();
    private final String name = TestRedis.name("a");
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(InterlockAutoConfiguration.class, NamedLockFactoriesAutoConfiguration.class))
            .withPropertyValues(
                    "interlock.strategy=set-nx-px",
                    "interlock.command-timeout=30s",
                    "interlock.endpoints=" + TestRedis.SERVER.uri(),
                    "interlock.factories.reports.key-prefix=reports");

    /** Sees whether the lock is held when its phase of the shutdown comes. */
    private final class Observer implements SmartLifecycle, AutoCloseable {
        private final String title;
        private final int phase;
        private boolean running;

        Observer(String title, int phase) {
            this.title = title;
            this.phase = phase;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            see(title + " stops");
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return phase;
        }

        @Override
        public void close() {
            see(title + " is destroyed");
        }
    }

    private void see(String what) {
        boolean others = TestRedis.isHeld(TestRedis.SERVER, "reports", name);
        assertThat(TestRedis.isHeld(name)).isEqualTo(others);
        seen.add(what + (others ? ": held" : ": free"));
    }

    @Test
    void locksAreReleasedAfterTheWebServerHasStoppedAndBeforeBeansAreDestroyed() {
        application
                .withBean(
                        "web",
                        Observer.class,
                        () -> new Observer("web server", WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE))
                .withBean("connections", Observer.class, () -> new Observer("connection factory", 0))
                .run(context -> {
                    context.getBean(InterlockAutoConfiguration.DEFAULT_FACTORY, DistributedLockFactory.class)
                            .getLock(name)
                            .lock();
                    context.getBean("reports", DistributedLockFactory.class)
                            .getLock(name)
                            .lock();
                    context.close();
                    assertThat(seen)
                            .startsWith("web server stops: held", "connection factory stops: free")
                            .hasSize(4)
                            .filteredOn(what -> what.contains("destroyed"))
                            .allMatch(what -> what.endsWith("free"));
                });
    }

    @Test
    void aContextThatIsPausedOrStoppedKeepsItsLocks() {
        application.run(context -> {
            DistributedLockFactory factory =
                    context.getBean(InterlockAutoConfiguration.DEFAULT_FACTORY, DistributedLockFactory.class);
            ConfigurableApplicationContext source =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            factory.getLock(name).lock();

            source.pause();
            assertThat(TestRedis.isHeld(name)).isTrue();
            source.restart();
            source.stop();
            assertThat(TestRedis.isHeld(name)).isTrue();
            source.start();
            factory.getLock(name).unlock();
            assertThat(TestRedis.isHeld(name)).isFalse();
        });
    }
}
