// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockInspectionProvider;

/** Opens inspections of locks of the strategy {@code setnx-getset}. Safe to use from any thread. */
public final class SetnxGetsetInspectionProvider implements LockInspectionProvider {
    /** Creates the provider. */
    public SetnxGetsetInspectionProvider() {}

    @Override
    public String strategy() {
        return SetnxGetsetStrategyProvider.NAME;
    }

    @Override
    public LockInspection open(LockConfig config) {
        Settings settings = Settings.of(config);
        Environment env = Environment.system();
        return new SetnxGetsetInspection(
                RedisNodes.open(settings.library(), config, env), settings, config.commandTimeout(), env);
    }
}
