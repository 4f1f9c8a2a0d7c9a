// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Counts and measures what the locks of one factory do: a listener of the factory that is bound to registries of
 * meters.
 *
 * <pre>{@code
 * LockMetrics metrics = LockMetrics.builder().group(LockGroups.before(":")).build();
 * metrics.bindTo(registry);
 * LockConfig config = LockConfig.builder().endpoints("redis://localhost").listener(metrics).build();
 * }</pre>
 *
 * <p>The meters of locks have the tags {@code strategy} and {@code group}, and those of the builder. The names of locks
 * are no tags, because they may be many. The meters of a group are registered at the first event of one of its locks.
 * Events before an instance is bound to a registry are not counted there; locks that are held or waited for at that
 * moment are.
 *
 * <p>Each factory has an instance of its own, with a tag that tells it from the others: events do not say which factory
 * they come from. An instance that is closed leaves no meter behind. Instances are safe to use from any thread.
 */
public final class LockMetrics implements MeterBinder, LockListener, AutoCloseable {
    private final Grouping grouping;
    private final Tags tags;

    private final Object monitor = new Object();
    private final Map<Key, GroupState> groups = new HashMap<>();
    private final List<MeterRegistry> registries = new ArrayList<>();
    private final List<Counter> dropped = new ArrayList<>();
    private boolean closed;

    private record Key(String strategy, String group) {}

    private LockMetrics(Builder builder) {
        grouping = new Grouping(builder.group);
        tags = builder.tags;
    }

    /**
     * Returns a builder of metrics with one group for all locks and no further tags.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Registers the meters with a registry, now and when further groups of locks show up. Has no effect if they are
     * registered with it already, or this object is closed.
     *
     * @param registry the registry
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        synchronized (monitor) {
            if (!closed && !registries.contains(registry)) {
                registries.add(registry);
                dropped.add(Counter.builder("interlock.events.dropped")
                        .description("Events of locks that are missing in all other meters")
                        .tags(tags)
                        .register(registry));
                groups.values().forEach(state -> state.register(registry));
            }
        }
    }

    /** Removes all meters from their registries. Later events have no effect, nor has closing again. */
    @Override
    public void close() {
        synchronized (monitor) {
            closed = true;
            groups.values().forEach(GroupState::close);
            groups.clear();
            for (int i = 0; i < dropped.size(); i++) {
                registries.get(i).remove(dropped.get(i));
            }
            dropped.clear();
            registries.clear();
        }
    }

    /** Passes an event on to the state of its group, unless this object is closed. */
    private void on(Event event, Consumer<GroupState> action) {
        String group = grouping.of(event.lockName());
        synchronized (monitor) {
            if (!closed) {
                action.accept(groups.computeIfAbsent(new Key(event.strategy(), group), this::newState));
            }
        }
    }

    private GroupState newState(Key key) {
        GroupState state = new GroupState(tags.and("strategy", key.strategy(), "group", key.group()));
        registries.forEach(state::register);
        return state;
    }

    @Override
    public void requested(Requested event) {
        on(event, state -> state.each(GroupMeters::requested));
    }

    @Override
    public void acquired(Acquired event) {
        on(event, state -> {
            state.held.add(event.lockName(), 1);
            state.each(meters -> meters.acquired(event));
        });
    }

    @Override
    public void released(Released event) {
        on(event, state -> {
            state.held.add(event.lockName(), -1);
            state.each(meters -> meters.released(event.held()));
        });
    }

    @Override
    public void renewed(Renewed event) {
        on(event, state -> state.each(meters -> meters.renewed(event.took())));
    }

    @Override
    public void renewalFailed(RenewalFailed event) {
        on(event, state -> state.each(GroupMeters::renewalFailed));
    }

    @Override
    public void lost(Lost event) {
        on(event, state -> {
            state.held.add(event.lockName(), -1);
            state.each(meters -> meters.lost(event.cause(), event.held()));
        });
    }

    @Override
    public void outageBegan(OutageBegan event) {
        on(event, state -> state.outages.set(event.lockName(), 1));
    }

    @Override
    public void outageEnded(OutageEnded event) {
        on(event, state -> {
            state.outages.set(event.lockName(), 0);
            state.each(meters -> meters.outageEnded(event.lasted()));
        });
    }

    @Override
    public void queueChanged(QueueChanged event) {
        on(event, state -> state.waiting.set(event.lockName(), event.length()));
    }

    @Override
    public void eventsDropped(EventsDropped event) {
        synchronized (monitor) {
            dropped.forEach(counter -> counter.increment((double) event.count()));
            groups.values().forEach(GroupState::forget);
        }
    }

    /** Builds {@link LockMetrics}. Not safe for use by several threads at once. */
    public static final class Builder {
        private UnaryOperator<String> group = LockGroups.all();
        private Tags tags = Tags.empty();

        private Builder() {}

        /**
         * Sets the function from a lock to its group. Beyond a hundred groups, further ones count as {@link
         * LockGroups#OTHER}, and so do locks for which the function fails or returns nothing.
         *
         * @param group a function from the name of a lock to its group
         * @return this builder
         */
        public Builder group(UnaryOperator<String> group) {
            this.group = Objects.requireNonNull(group, "group");
            return this;
        }

        /**
         * Adds tags to all meters, such as one that tells factories apart.
         *
         * @param tags the tags
         * @return this builder
         */
        public Builder tags(Iterable<Tag> tags) {
            this.tags = this.tags.and(tags);
            return this;
        }

        /**
         * Returns the metrics, to be registered as a listener and bound to a registry.
         *
         * @return the metrics
         */
        public LockMetrics build() {
            return new LockMetrics(this);
        }
    }
}
