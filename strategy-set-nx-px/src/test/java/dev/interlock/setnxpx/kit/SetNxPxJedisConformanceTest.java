// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.kit;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract, over a pool of Jedis. */
@Tag("conformance")
@Tag("nightly")
@Execution(ExecutionMode.CONCURRENT)
class SetNxPxJedisConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new SetNxPxStrategyProvider())
                .option("client", "jedis")
                .open();
    }
}
