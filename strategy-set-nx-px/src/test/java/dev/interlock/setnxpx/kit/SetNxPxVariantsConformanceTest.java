// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.kit;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The contract, over Lettuce, and where a release tells all waiters. {@link SetNxPxJedisConformanceTest} has the client
 * that is left.
 */
@Tag("conformance")
@Tag("variant")
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@CsvSource({"lettuce, queue", "interlock, pubsub"})
class SetNxPxVariantsConformanceTest extends DistributedLockConformance {
    @Parameter(0)
    String client;

    @Parameter(1)
    String wakeup;

    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new SetNxPxStrategyProvider())
                .option("client", client)
                .option("wakeup", wakeup)
                .open();
    }
}
