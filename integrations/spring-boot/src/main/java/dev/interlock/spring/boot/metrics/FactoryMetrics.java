// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.metrics;

import dev.interlock.LockConfig;
import dev.interlock.micrometer.LockMetrics;
import dev.interlock.spring.boot.LockConfigCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Gives each factory metrics of its own, with a tag that has the name of its bean, since events do not say from which
 * factory they come. A monitor: a factory that is created late is bound to the registries that already exist.
 */
final class FactoryMetrics implements LockConfigCustomizer, MeterBinder, AutoCloseable {
    private final UnaryOperator<String> group;
    private final List<LockMetrics> factories = new ArrayList<>();
    private final List<MeterRegistry> registries = new ArrayList<>();

    /**
     * Creates an object without factories.
     *
     * @param group a function from the name of a lock to its group
     */
    FactoryMetrics(UnaryOperator<String> group) {
        this.group = group;
    }

    @Override
    public synchronized void customize(String factory, LockConfig.Builder config) {
        LockMetrics metrics = LockMetrics.builder()
                .group(group)
                .tags(Tags.of("factory", factory))
                .build();
        registries.forEach(metrics::bindTo);
        factories.add(metrics);
        config.listener(metrics);
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        registries.add(registry);
        factories.forEach(metrics -> metrics.bindTo(registry));
    }

    @Override
    public synchronized void close() {
        factories.forEach(LockMetrics::close);
    }
}
