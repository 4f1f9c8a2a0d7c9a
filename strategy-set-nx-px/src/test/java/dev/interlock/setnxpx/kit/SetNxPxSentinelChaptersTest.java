// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.kit;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.setnxpx.SetNxPxStrategyProvider;
import java.util.Collections;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Behind sentinels: exclusion, loss, waiting and closing, and the kinds of locks beside the plain one. All other
 * chapters take as long again.
 */
@Tag("topology")
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(SetNxPxSentinelChaptersTest.Chapters.class)
class SetNxPxSentinelChaptersTest extends DistributedLockConformance {
    private static final Set<String> CHAPTERS = Set.of(
            "chapter-1",
            "chapter-6",
            "chapter-8",
            "chapter-11",
            "chapter-13",
            "chapter-14",
            "chapter-15",
            "chapter-16");

    @Override
    protected LockHarness harness() {
        return RedisHarness.of(new SetNxPxStrategyProvider()).open(RedisHarness.SENTINELS);
    }

    static final class Chapters implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            boolean other = context.getTestMethod().isPresent() && Collections.disjoint(context.getTags(), CHAPTERS);
            return other
                    ? ConditionEvaluationResult.disabled("the nightly leg runs the chapters other than " + CHAPTERS)
                    : ConditionEvaluationResult.enabled("one of " + CHAPTERS);
        }
    }
}
