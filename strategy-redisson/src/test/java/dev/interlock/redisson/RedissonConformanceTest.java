// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract, with holds counted here and in Redis. */
@Tag("conformance")
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@ValueSource(strings = {"local", "redis"})
class RedissonConformanceTest extends DistributedLockConformance {
    @Parameter
    String holds;

    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new RedissonStrategyProvider())
                .option("holds", holds)
                .open();
    }
}
