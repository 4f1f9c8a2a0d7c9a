// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redlock.RedlockStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract of {@code redlock} on the client that Spring Boot brings. */
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class RedlockOnBootClientsConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new RedlockStrategyProvider())
                .servers(5)
                .option("cold-start", "trust")
                .option("node-timeout", "2s")
                .open();
    }
}
