// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.conformance.redis.RedisHarness;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;

/** Runs the kit against wrong locks on real servers. */
@Tag("deep")
class SpecimensTest {
    /** Each rule has a server of its own, and some have several JVMs. */
    private static final Examination<Specimen> EXAMINATION = new Examination<>(
            specimen -> () -> RedisHarness.of(specimen.provider()).open(), Specimen::breaks, 3, 6);

    @TestFactory
    Stream<DynamicTest> aSpecimenOfTheSourcesBreaksExactlyTheRulesThatItShould(TestReporter reporter) {
        return EXAMINATION.of(Specimens.ofTheSources(), SpecimensTest::rulesWithoutRaces, reporter);
    }

    private static Set<String> rulesWithoutRaces(Specimen specimen) {
        Set<String> rules = KitRun.rules();
        rules.removeAll(specimen.races());
        return rules;
    }

    @TestFactory
    Stream<DynamicTest> aLockThatIsWrongBetweenProcessesBreaksTheRulesThatItIsThereFor(TestReporter reporter) {
        return EXAMINATION.ofOwnRules(Specimens.ofSeveralProcesses(), reporter);
    }
}
