// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.kit;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redlock.RedlockStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract as in {@link RedlockConformanceTest}, on five servers; on those in containers, three have to do. */
@Tag("conformance")
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class RedlockOnFiveConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new RedlockStrategyProvider())
                .servers(5)
                .option("client", "interlock")
                .open();
    }
}
