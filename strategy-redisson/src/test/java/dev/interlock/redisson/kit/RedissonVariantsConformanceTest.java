// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.kit;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redisson.RedissonStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract, with holds counted in Redis. */
@Tag("conformance")
@Tag("variant")
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class RedissonVariantsConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new RedissonStrategyProvider())
                .option("holds", "redis")
                .open();
    }
}
