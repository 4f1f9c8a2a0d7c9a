// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract, with the other clocks, and with timestamps that are whole numbers. */
@Tag("conformance")
@Tag("variant")
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@CsvSource({"client, false, jedis", "server, true, interlock", "observed, true, interlock"})
class SetnxGetsetVariantsConformanceTest extends DistributedLockConformance {
    @Parameter(0)
    String clock;

    @Parameter(1)
    String fraction;

    @Parameter(2)
    String client;

    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new SetnxGetsetStrategyProvider())
                .option("clock", clock)
                .option("fraction", fraction)
                .option("client", client)
                .open();
    }
}
