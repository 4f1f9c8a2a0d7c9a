// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.metrics;

import dev.interlock.DistributedLockFactory;
import dev.interlock.micrometer.LockGroups;
import dev.interlock.micrometer.ObservedLocks;
import dev.interlock.spring.boot.InterlockProperties;
import dev.interlock.spring.boot.LockFactoryDecorator;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of observations of locks, such as spans of a trace, where {@code interlock-micrometer} and an
 * observation registry are there. An {@link ObservedLocks} bean of the application says how they are made.
 */
@AutoConfiguration(
        after = NamedLockFactoriesAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass({ObservedLocks.class, ObservationRegistry.class})
@ConditionalOnBean({DistributedLockFactory.class, ObservationRegistry.class})
@ConditionalOnBooleanProperty(name = "interlock.observations.enabled", matchIfMissing = true)
public final class LockObservationAutoConfiguration {
    LockObservationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    ObservedLocks interlockObservedLocks(ObservationRegistry registry, InterlockProperties properties) {
        String separator = properties.getMetrics().getGroupSeparator();
        return ObservedLocks.builder(registry)
                .group(separator == null || separator.isEmpty() ? LockGroups.all() : LockGroups.before(separator))
                .build();
    }

    @Bean
    LockFactoryDecorator interlockObservationDecorator(ObservedLocks observed) {
        return (name, factory) -> observed.observe(factory);
    }
}
