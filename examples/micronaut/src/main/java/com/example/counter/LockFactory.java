// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;

/** The locks of this application, over connections of their own. */
@Factory
class LockFactory {
    @Bean(preDestroy = "close")
    @Singleton
    DistributedLockFactory open(
            @Value("${interlock.strategy:set-nx-px}") String strategy,
            @Value("${interlock.endpoints}") String endpoints) {
        return DistributedLocks.getInstance(strategy, LockConfig.of(endpoints));
    }
}
