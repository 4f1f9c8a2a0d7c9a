// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.harness.LockHarness;
import dev.interlock.conformance.redis.RedisHarness;
import dev.interlock.specimens.ProcessSpecimens;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;

/** Runs the kit against wrong locks on real servers. */
@Tag("deep")
class SpecimensTest {
    /** Each rule has a server of its own, and some have several JVMs. */
    private static final Examination<Specimen> OF_THE_WHOLE_KIT = examination(6);

    private static final Examination<Specimen> OF_OWN_RULES = examination(2);

    private static Examination<Specimen> examination(int rulesAtOnce) {
        return new Examination<>(
                specimen -> () -> RedisHarness.of(specimen.provider()).open(), Specimen::breaks, 3, rulesAtOnce);
    }

    @TestFactory
    Stream<DynamicTest> aSpecimenOfTheSourcesBreaksExactlyTheRulesThatItShould(TestReporter reporter) {
        return OF_THE_WHOLE_KIT.of(Specimens.ofTheSources(), SpecimensTest::rulesWithoutRaces, reporter);
    }

    private static Set<String> rulesWithoutRaces(Specimen specimen) {
        Set<String> rules = KitRun.rules();
        rules.removeAll(specimen.races());
        return rules;
    }

    @TestFactory
    Stream<DynamicTest> aLockThatIsWrongBetweenProcessesBreaksTheRulesThatItIsThereFor(TestReporter reporter) {
        return OF_OWN_RULES.ofOwnRules(Specimens.ofSeveralProcesses(), reporter);
    }

    /** Processes are used again, so that a client may not be the first one of its process. */
    @Test
    void aLockWhoseOwnersAreAlikeInNewProcessesIsFoundAfterOthersHaveRun() {
        Supplier<LockHarness> lock = () ->
                RedisHarness.of(new ProcessSpecimens.ClientNumberIsOwner()).open();
        assertThat(KitRun.failures(lock, 1, Set.of("12.1"))).isEmpty();
        assertThat(KitRun.failures(lock, 1, Set.of("12.3"))).containsOnlyKeys("12.3");
    }
}
