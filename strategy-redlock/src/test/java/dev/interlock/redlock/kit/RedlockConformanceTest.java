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
 * The contract, on three servers; {@link RedlockOnFiveConformanceTest} has five. The harness sets the options that the
 * strategy names for trials. Each rule has fresh servers, which must be trusted: otherwise they would stand aside for
 * longer than any rule takes. The time-out of a server permits the delays of the rules, even on a busy machine.
 */
@Tag("conformance")
@Execution(ExecutionMode.CONCURRENT)
class RedlockConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new RedlockStrategyProvider())
                .servers(3)
                .option("client", "interlock")
                .open();
    }
}
