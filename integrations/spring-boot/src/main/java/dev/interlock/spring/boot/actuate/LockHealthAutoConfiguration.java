// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import dev.interlock.DistributedLockFactory;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.CompositeHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health contributor {@code interlock}, with one indicator for each factory. */
@AutoConfiguration(after = NamedLockFactoriesAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(DistributedLockFactory.class)
@ConditionalOnEnabledHealthIndicator("interlock")
public final class LockHealthAutoConfiguration
        extends CompositeHealthContributorConfiguration<LockHealthIndicator, DistributedLockFactory> {
    LockHealthAutoConfiguration() {
        super(LockHealthIndicator::new);
    }

    @Bean
    @ConditionalOnMissingBean(name = {"interlockHealthIndicator", "interlockHealthContributor"})
    HealthContributor interlockHealthContributor(ConfigurableListableBeanFactory beanFactory) {
        return createContributor(beanFactory, DistributedLockFactory.class);
    }
}
