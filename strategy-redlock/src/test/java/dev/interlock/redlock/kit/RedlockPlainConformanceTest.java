// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.kit;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.redlock.RedlockStrategyProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The contract under plain keys, as in {@link RedlockOnFiveConformanceTest}, apart from the rule about what these do
 * not have. Other keys are all that differs between our own clients.
 */
@Tag("conformance")
@Tag("nightly")
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(RedlockPlainConformanceTest.WithoutKeyPrefix.class)
class RedlockPlainConformanceTest extends DistributedLockConformance {
    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new RedlockStrategyProvider())
                .servers(5)
                .option("wire", "plain")
                .open();
    }

    static final class WithoutKeyPrefix implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            boolean separates = context.getTestMethod()
                    .filter(rule -> rule.getName().equals("rule_10_10_keyPrefixesSeparateLocks"))
                    .isPresent();
            return separates
                    ? ConditionEvaluationResult.disabled("plain keys have the wire-prefix, and not the keyPrefix")
                    : ConditionEvaluationResult.enabled("holds for plain keys too");
        }
    }
}
