// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.metrics;

import dev.interlock.DistributedLockFactory;
import dev.interlock.micrometer.servers.ServerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;

/** Measures the servers of each factory, with a tag that has the name of its bean. A monitor. */
final class FactoryServerMetrics implements MeterBinder, AutoCloseable {
    private final ListableBeanFactory beans;
    private final List<ServerMetrics> bound = new ArrayList<>();

    FactoryServerMetrics(ListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        beans.getBeansOfType(DistributedLockFactory.class).forEach((name, factory) -> {
            ServerMetrics metrics = ServerMetrics.of(factory, Tags.of("factory", name));
            metrics.bindTo(registry);
            bound.add(metrics);
        });
    }

    @Override
    public synchronized void close() {
        bound.forEach(ServerMetrics::close);
    }
}
