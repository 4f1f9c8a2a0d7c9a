// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.metrics;

import dev.interlock.DistributedLockFactory;
import dev.interlock.micrometer.LockGroups;
import dev.interlock.micrometer.LockMetrics;
import dev.interlock.spring.boot.InterlockProperties;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the metrics of locks, where {@code interlock-micrometer} and a meter registry are there and the
 * application has no {@link LockMetrics} of its own.
 */
@AutoConfiguration(
        after = NamedLockFactoriesAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass({LockMetrics.class, MeterRegistry.class})
@ConditionalOnBean({DistributedLockFactory.class, MeterRegistry.class})
@ConditionalOnBooleanProperty(name = "interlock.metrics.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(LockMetrics.class)
public final class LockMetricsAutoConfiguration {
    LockMetricsAutoConfiguration() {}

    @Bean
    FactoryMetrics interlockFactoryMetrics(InterlockProperties properties) {
        String separator = properties.getMetrics().getGroupSeparator();
        return new FactoryMetrics(
                separator == null || separator.isEmpty() ? LockGroups.all() : LockGroups.before(separator));
    }

    @Bean
    FactoryServerMetrics interlockFactoryServerMetrics(ListableBeanFactory beans) {
        return new FactoryServerMetrics(beans);
    }
}
