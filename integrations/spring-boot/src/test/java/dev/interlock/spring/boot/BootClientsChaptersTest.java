// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import java.util.Collections;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Exclusion and fencing. All chapters take ten times as long; {@link ClientVersionsTest} shows that waiters are woken.
 */
@Tag("deep")
@ExtendWith(BootClientsChaptersTest.Chapters.class)
class BootClientsChaptersTest extends BootClientsConformance {
    private static final Set<String> CHAPTERS = Set.of("chapter-1", "chapter-7");

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
