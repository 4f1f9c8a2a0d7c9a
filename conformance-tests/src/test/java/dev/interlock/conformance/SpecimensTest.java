// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.redis.RedisHarness;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit against locks on real servers of which it is known what is wrong with them. */
class SpecimensTest {
    /** Each rule has a server of its own, and some have several JVMs. */
    private static final int RULES_AT_ONCE = 6;

    static Stream<Specimen> specimens() {
        return Specimens.all();
    }

    @ParameterizedTest
    @MethodSource("specimens")
    void aSpecimenBreaksExactlyTheRulesThatItShould(Specimen specimen) {
        Map<String, String> failures =
                KitRun.failures(() -> RedisHarness.of(specimen.provider()).open(), RULES_AT_ONCE);
        assertThat(new TreeSet<>(failures.keySet()))
                .as("rules that " + specimen + " breaks; what they said: " + failures)
                .isEqualTo(specimen.breaks());
    }
}
