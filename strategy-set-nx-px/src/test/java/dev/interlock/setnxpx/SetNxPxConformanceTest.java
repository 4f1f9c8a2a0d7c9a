// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract, with each client library, and where a release tells all waiters. */
@Tag("conformance")
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@MethodSource("options")
class SetNxPxConformanceTest extends DistributedLockConformance {
    @Parameter(0)
    String client;

    @Parameter(1)
    String wakeup;

    static Stream<Arguments> options() {
        return Stream.of(
                Arguments.of("jedis", "queue"), Arguments.of("lettuce", "queue"), Arguments.of("jedis", "pubsub"));
    }

    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new SetNxPxStrategyProvider())
                .option("client", client)
                .option("wakeup", wakeup)
                .open();
    }
}
