// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.inspect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockInspectionProvider;

/**
 * Opens inspections of locks of the strategy {@code redisson}, and of plain locks of Redisson. Needs Jedis. Safe to use
 * from any thread.
 */
public final class RedissonInspectionProvider implements LockInspectionProvider {
    /** Creates the provider. */
    public RedissonInspectionProvider() {}

    @Override
    public String strategy() {
        return "redisson";
    }

    @Override
    public LockInspection open(LockConfig config) {
        return new RedissonInspection(
                RedisNodes.open(ClientLibrary.INTERLOCK, config, Environment.system()),
                config.keyPrefix(),
                config.commandTimeout());
    }
}
