// SPDX-License-Identifier: Apache-2.0
package com.example.locks;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class PlainSetConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new PlainSetStrategyProvider()).open();
    }
}
