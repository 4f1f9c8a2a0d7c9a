// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer.servers;

import dev.interlock.DistributedLockFactory;
import dev.interlock.ServerStatus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Measures what a factory {@linkplain DistributedLockFactory#servers knows} of each of the independent servers of its
 * backend, for strategies that use several, such as {@code redlock}; of other strategies there are no such meters.
 *
 * <pre>{@code
 * ServerMetrics.of(factory, Tags.of("factory", "orders")).bindTo(registry);
 * }</pre>
 *
 * <p>The meters have the tags {@code strategy} and {@code server}, and those that are given. When any of them is read,
 * servers that have joined get meters, and those that have left lose theirs; so do all servers of a factory that is
 * closed. An instance that is closed leaves no meter behind. Instances are safe to use from any thread.
 */
public final class ServerMetrics implements MeterBinder, AutoCloseable {
    private final DistributedLockFactory factory;
    private final Tags tags;

    private final Object monitor = new Object();
    private final List<MeterRegistry> registries = new ArrayList<>();
    private final List<ServerMeters> meters = new ArrayList<>();
    private volatile Set<String> known = Set.of();
    private boolean closed;

    private ServerMetrics(DistributedLockFactory factory, Tags tags) {
        this.factory = factory;
        this.tags = tags.and("strategy", factory.strategy());
    }

    /**
     * Returns metrics of the servers of a factory.
     *
     * @param factory the factory
     * @param tags tags of all meters, such as one that tells factories apart
     * @return the metrics, to be bound to a registry
     */
    public static ServerMetrics of(DistributedLockFactory factory, Iterable<Tag> tags) {
        return new ServerMetrics(Objects.requireNonNull(factory, "factory"), Tags.of(tags));
    }

    /**
     * Registers the meters with a registry, now and when further servers join. Has no effect if they are registered
     * with it already, or this object is closed.
     *
     * @param registry the registry
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        follow(factory.servers());
        synchronized (monitor) {
            if (!closed && !registries.contains(registry)) {
                registries.add(registry);
                known.forEach(server -> register(server, registry));
            }
        }
    }

    /** Removes all meters from their registries. Closing again has no effect. */
    @Override
    public void close() {
        synchronized (monitor) {
            closed = true;
            meters.forEach(ServerMeters::remove);
            meters.clear();
            registries.clear();
        }
    }

    private void register(String server, MeterRegistry registry) {
        meters.add(new ServerMeters(registry, tags, server, () -> find(server)));
    }

    private Optional<ServerStatus> find(String server) {
        List<ServerStatus> states = factory.servers();
        follow(states);
        return states.stream().filter(state -> state.server().equals(server)).findFirst();
    }

    /** Makes meters for servers that have joined, and removes those of servers that have left. */
    private void follow(List<ServerStatus> states) {
        Set<String> now = states.stream().map(ServerStatus::server).collect(Collectors.toSet());
        if (now.equals(known)) {
            return;
        }
        synchronized (monitor) {
            if (closed) {
                return;
            }
            meters.stream().filter(each -> !now.contains(each.server())).forEach(ServerMeters::remove);
            meters.removeIf(each -> !now.contains(each.server()));
            now.stream()
                    .filter(server -> !known.contains(server))
                    .forEach(server -> registries.forEach(registry -> register(server, registry)));
            known = now;
        }
    }
}
