// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockInspectionProvider;

/** Opens inspections of locks of the strategy {@code set-nx-px}. Safe to use from any thread. */
public final class SetNxPxInspectionProvider implements LockInspectionProvider {
    /** Creates the provider. */
    public SetNxPxInspectionProvider() {}

    @Override
    public String strategy() {
        return SetNxPxStrategyProvider.NAME;
    }

    @Override
    public LockInspection open(LockConfig config) {
        Settings settings = Settings.of(config);
        return new SetNxPxInspection(
                RedisNodes.open(settings.library(), config, Environment.system()),
                settings.wire(),
                config.keyPrefix(),
                config.commandTimeout());
    }
}
