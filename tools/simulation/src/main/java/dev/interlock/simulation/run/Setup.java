// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.setnxpx.SetNxPxLocks;
import java.util.Map;
import java.util.Objects;

/**
 * What is simulated.
 *
 * @param strategy makes the locks
 * @param mutant what is changed in the scripts
 */
record Setup(Strategy strategy, Mutant mutant) {
    /** The strategies that can be simulated. */
    static final Map<String, Strategy> STRATEGIES = Map.of(
            "set-nx-px",
            (node, config, env) ->
                    SetNxPxLocks.builder().config(config).node(node, env).build());

    /** Makes the factory of one client. */
    interface Strategy {
        DistributedLockFactory newFactory(RedisNode node, LockConfig config, Environment env);
    }

    /** A strategy with its scripts as they are. */
    static Setup of(String strategy) {
        return new Setup(Objects.requireNonNull(STRATEGIES.get(strategy)), Mutant.NONE);
    }
}
