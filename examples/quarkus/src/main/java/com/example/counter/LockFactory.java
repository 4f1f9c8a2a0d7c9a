// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The locks of this application, over connections of their own. */
class LockFactory {
    @Produces
    @Singleton
    DistributedLockFactory open(
            @ConfigProperty(name = "interlock.strategy", defaultValue = "set-nx-px") String strategy,
            @ConfigProperty(name = "interlock.endpoints") String endpoints) {
        return DistributedLocks.getInstance(strategy, LockConfig.of(endpoints));
    }

    void close(@Disposes DistributedLockFactory locks) {
        locks.close();
    }
}
