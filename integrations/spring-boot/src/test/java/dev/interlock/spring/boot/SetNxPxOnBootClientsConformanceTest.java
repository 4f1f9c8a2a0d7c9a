// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of {@code set-nx-px} on the clients that Spring Boot brings. */
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@ValueSource(strings = {"interlock", "lettuce"})
class SetNxPxOnBootClientsConformanceTest extends DistributedLockConformance {
    @Parameter
    String client;

    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new SetNxPxStrategyProvider())
                .option("client", client)
                .open();
    }
}
