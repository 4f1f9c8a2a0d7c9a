// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.kit;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redlock.RedlockStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The contract over Lettuce, as in {@link RedlockOnFiveConformanceTest}; only the connections differ, and they have
 * tests of their own.
 */
@Tag("conformance")
@Tag("nightly")
@Execution(ExecutionMode.CONCURRENT)
class RedlockLettuceConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new RedlockStrategyProvider())
                .servers(5)
                .option("client", "lettuce")
                .open();
    }
}
