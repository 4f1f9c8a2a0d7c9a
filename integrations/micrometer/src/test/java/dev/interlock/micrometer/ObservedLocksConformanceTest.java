// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract holds for locks that are observed. */
@Tag("variant")
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class ObservedLocksConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new ObservedStrategyProvider()).open();
    }
}
