// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import dev.interlock.DistributedLockFactory;
import dev.interlock.spring.boot.NamedLockFactoriesAutoConfiguration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint {@code locks}. Factories are watched only if it is available. */
@AutoConfiguration(after = NamedLockFactoriesAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@ConditionalOnBean(DistributedLockFactory.class)
public final class LocksEndpointAutoConfiguration {
    LocksEndpointAutoConfiguration() {}

    @Bean
    LockBoards interlockLockBoards() {
        return new LockBoards();
    }

    @Bean
    @ConditionalOnMissingBean
    LocksEndpoint locksEndpoint(LockBoards boards, ListableBeanFactory beans) {
        Map<String, DistributedLockFactory> factories =
                new LinkedHashMap<>(beans.getBeansOfType(DistributedLockFactory.class));
        return new LocksEndpoint(boards, factories);
    }
}
