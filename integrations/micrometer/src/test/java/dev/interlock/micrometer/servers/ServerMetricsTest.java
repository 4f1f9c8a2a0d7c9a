// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer.servers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import dev.interlock.ServerStatus;
import dev.interlock.spi.StrategyProfile;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The meters of servers whose status the test sets. */
class ServerMetricsTest {
    private final Servers factory = new Servers();
    private final ServerMetrics metrics = ServerMetrics.of(factory, Tags.of("factory", "orders"));
    private final MeterRegistry registry = new SimpleMeterRegistry();

    /** A factory that only knows of servers. */
    static final class Servers implements DistributedLockFactory {
        volatile List<ServerStatus> states = List.of(voting("a:1"), asideAndSlow("b:2"));

        @Override
        public List<ServerStatus> servers() {
            return states;
        }

        @Override
        public String strategy() {
            return "of-servers";
        }

        @Override
        public StrategyProfile profile() {
            throw new UnsupportedOperationException();
        }

        @Override
        public DistributedLock getLock(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DistributedLock getLock(String name, LockOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    static ServerStatus voting(String server) {
        return new ServerStatus(server, true, true, Optional.empty(), "", 0, 0, Duration.ZERO, Duration.ofMillis(2), 1);
    }

    static ServerStatus asideAndSlow(String server) {
        return new ServerStatus(
                server,
                true,
                false,
                Optional.of(Duration.ofSeconds(30)),
                "it has started too short a time ago",
                7,
                3,
                Duration.ofMillis(300),
                Duration.ZERO,
                4);
    }

    private double gauge(String name, String server) {
        return registry.get(name).tags("server", server).gauge().value();
    }

    private double seconds(String name, String server) {
        return registry.get(name).tags("server", server).timeGauge().value(TimeUnit.SECONDS);
    }

    private Set<String> servers() {
        return registry.getMeters().stream()
                .map(meter -> String.valueOf(meter.getId().getTag("server")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void tellWhatTheFactoryKnowsOfEachServer() {
        metrics.bindTo(registry);

        assertThat(gauge("interlock.server.connected", "a:1")).isEqualTo(1);
        assertThat(gauge("interlock.server.voting", "a:1")).isEqualTo(1);
        assertThat(gauge("interlock.server.voting", "b:2")).isZero();
        assertThat(gauge("interlock.server.unanswered", "b:2")).isEqualTo(7);
        assertThat(gauge("interlock.server.waiting", "b:2")).isEqualTo(3);
        assertThat(seconds("interlock.server.aside", "a:1")).isZero();
        assertThat(seconds("interlock.server.aside", "b:2")).isEqualTo(30);
        assertThat(seconds("interlock.server.owing", "b:2")).isEqualTo(0.3);
        assertThat(seconds("interlock.server.latency", "a:1")).isEqualTo(0.002);
        assertThat(registry.get("interlock.server.connections")
                        .tags("server", "b:2", "factory", "orders", "strategy", "of-servers")
                        .functionCounter()
                        .count())
                .isEqualTo(4);
    }

    @Test
    void serversThatJoinAndLeaveAreFollowedAndNothingIsLeftOfAFactoryThatIsClosed() {
        metrics.bindTo(registry);
        factory.states = List.of(voting("a:1"), voting("c:3"));

        assertThat(gauge("interlock.server.voting", "a:1")).isEqualTo(1);

        assertThat(servers()).containsExactly("a:1", "c:3");
        assertThat(gauge("interlock.server.voting", "c:3")).isEqualTo(1);
        factory.states = List.of();
        assertThat(gauge("interlock.server.voting", "a:1")).isNaN();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void metricsThatAreClosedLeaveNoMeterAndMakeNone() {
        metrics.bindTo(registry);
        metrics.bindTo(registry);
        metrics.close();
        metrics.bindTo(registry);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aServerThatJoinsIsSeenByPrometheusFromTheNextButOneScrapeOn() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        metrics.bindTo(prometheus);
        factory.states = List.of(voting("a:1"), voting("c:3"));
        prometheus.scrape();

        assertThat(prometheus.scrape())
                .contains("interlock_server_voting{factory=\"orders\",server=\"c:3\",strategy=\"of-servers\"} 1.0")
                .doesNotContain("b:2");
    }
}
