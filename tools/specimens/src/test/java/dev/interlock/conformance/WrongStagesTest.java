// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.conformance.wrong.WrongLocks;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Runs rules of the kit against locks whose stages are wrong. They run apart from other wrong locks, some of which spin
 * on virtual threads and would keep the threads of stages from running.
 */
class WrongStagesTest {
    @TestFactory
    Stream<DynamicTest> aLockWithWrongStagesBreaksTheRulesThatItIsThereFor(TestReporter reporter) {
        return WrongLocksTest.OF_OWN_RULES.ofOwnRules(WrongLocks.ofStages(), reporter);
    }

    @TestFactory
    @Tag("deep")
    @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
    Stream<DynamicTest> aLockWithWrongStagesBreaksItsRulesAboutVirtualThreads(TestReporter reporter) {
        return WrongLocksTest.OF_OWN_RULES.ofOwnRulesAboutVirtualThreads(WrongLocks.ofStages(), reporter);
    }
}
