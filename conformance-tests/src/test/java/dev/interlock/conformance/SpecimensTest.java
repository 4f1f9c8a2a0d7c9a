// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.redis.RedisHarness;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit against locks on real servers of which it is known what is wrong with them. */
class SpecimensTest {
    /** Each rule has a server of its own, and some have several JVMs. */
    private static final int RULES_AT_ONCE = 12;

    static Stream<Specimen> ofTheSources() {
        return Specimens.ofTheSources();
    }

    static Stream<Specimen> ofSeveralProcesses() {
        return Specimens.ofSeveralProcesses();
    }

    private static Supplier<LockHarness> on(Specimen specimen) {
        return () -> RedisHarness.of(specimen.provider()).open();
    }

    @ParameterizedTest
    @MethodSource("ofTheSources")
    void aSpecimenOfTheSourcesBreaksExactlyTheRulesThatItShould(Specimen specimen) {
        Map<String, String> failures = KitRun.failures(on(specimen), RULES_AT_ONCE);
        Set<String> broken = new TreeSet<>(failures.keySet());
        broken.removeAll(specimen.races());
        assertThat(broken)
                .as("rules that " + specimen + " breaks, apart from races; what they said: " + failures)
                .isEqualTo(specimen.breaks());
    }

    @ParameterizedTest
    @MethodSource("ofSeveralProcesses")
    void aLockThatIsWrongBetweenProcessesBreaksTheRulesThatItIsThereFor(Specimen specimen) {
        assertThat(KitRun.failures(on(specimen), RULES_AT_ONCE, specimen.breaks())
                        .keySet())
                .as("rules that " + specimen + " breaks, of those that it should")
                .isEqualTo(specimen.breaks());
    }
}
