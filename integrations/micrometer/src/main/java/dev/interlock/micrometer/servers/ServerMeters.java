// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer.servers;

import dev.interlock.ServerStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The meters of one server in one registry. A server that is no longer known has no values. */
final class ServerMeters {
    private final MeterRegistry registry;
    private final Tags tags;
    private final String server;
    private final Supplier<Optional<ServerStatus>> state;
    private final List<Meter> all = new ArrayList<>();

    ServerMeters(MeterRegistry registry, Tags tags, String server, Supplier<Optional<ServerStatus>> state) {
        this.registry = registry;
        this.tags = tags.and("server", server);
        this.server = server;
        this.state = state;
        gauge(
                "interlock.server.connected",
                "Whether there is a connection to the server",
                it -> it.connected() ? 1 : 0);
        gauge("interlock.server.voting", "Whether the server takes part in decisions", it -> it.voting() ? 1 : 0);
        gauge("interlock.server.unanswered", "Requests that the server has not answered yet", ServerStatus::unanswered);
        gauge(
                "interlock.server.waiting",
                "Requests that wait until the server can be sent them",
                ServerStatus::waiting);
        time(
                "interlock.server.aside",
                "Time until the server votes, as after a restart",
                it -> it.votesIn().orElse(Duration.ZERO));
        time(
                "interlock.server.owing",
                "Time for which the oldest unanswered request has been on its way",
                ServerStatus::owing);
        time(
                "interlock.server.latency",
                "Shortest of the last times from a request to its reply",
                ServerStatus::latency);
        all.add(FunctionCounter.builder("interlock.server.connections", this, it -> it.read(ServerStatus::connections))
                .description("Connections to the server that were opened, one after the other")
                .tags(this.tags)
                .register(registry));
    }

    private double read(ToDoubleFunction<ServerStatus> value) {
        return state.get().map(value::applyAsDouble).orElse(Double.NaN);
    }

    private void gauge(String name, String description, ToDoubleFunction<ServerStatus> value) {
        all.add(Gauge.builder(name, this, it -> it.read(value))
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    private void time(String name, String description, Function<ServerStatus, Duration> time) {
        ToDoubleFunction<ServerStatus> nanos = it -> time.apply(it).toNanos();
        all.add(TimeGauge.builder(name, this, TimeUnit.NANOSECONDS, it -> it.read(nanos))
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    String server() {
        return server;
    }

    void remove() {
        all.forEach(registry::remove);
    }
}
