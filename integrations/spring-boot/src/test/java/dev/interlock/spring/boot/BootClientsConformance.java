// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redlock.RedlockStrategyProvider;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract, on the clients that Spring Boot brings. */
@ParameterizedClass
@ValueSource(strings = {"set-nx-px", "set-nx-px over Lettuce", "redlock"})
abstract class BootClientsConformance extends DistributedLockConformance {
    @Parameter
    String backend;

    @Override
    protected LockHarness harness() {
        return switch (backend) {
            case "set-nx-px" -> RedisHarness.of(new SetNxPxStrategyProvider()).open();
            case "set-nx-px over Lettuce" ->
                RedisHarness.of(new SetNxPxStrategyProvider())
                        .option("client", "lettuce")
                        .open();
            default -> RedisHarness.of(new RedlockStrategyProvider()).servers(5).open();
        };
    }
}
