// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockInspectionProvider;
import java.util.List;

/** Opens inspections of locks of the strategy {@code redlock}. Needs Jedis. Safe to use from any thread. */
public final class RedlockInspectionProvider implements LockInspectionProvider {
    /** Creates the provider. */
    public RedlockInspectionProvider() {}

    @Override
    public String strategy() {
        return "redlock";
    }

    @Override
    public LockInspection open(LockConfig config) {
        List<RedisEndpoint> endpoints = RedisEndpoint.allOf(config);
        return new RedlockInspection(
                new InspectedNodes(endpoints, config, Environment.system()), LockWire.of(config), config.keyPrefix());
    }
}
