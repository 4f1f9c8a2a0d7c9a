// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kit against locks of which it is known what is wrong with them. */
class WrongLocksTest {
    static Stream<WrongLock> wrongLocks() {
        return WrongLocks.all();
    }

    @ParameterizedTest
    @MethodSource("wrongLocks")
    void aWrongLockBreaksExactlyTheRulesThatItShould(WrongLock lock) {
        Map<String, String> failures = KitRun.failures(lock);
        assertThat(new TreeSet<>(failures.keySet()))
                .as("rules that " + lock + " breaks; what they said: " + failures)
                .isEqualTo(lock.breaks());
    }

    @Test
    void theCorrectLockBreaksNone() {
        assertThat(KitRun.failures(new WrongLock("correct"))).isEmpty();
    }

    @Test
    void everyRuleIsBrokenBySomeWrongLock() {
        Set<String> broken = Stream.concat(WrongLocks.all().map(WrongLock::breaks), Specimens.all().map(Specimen::breaks))
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
        assertThat(broken).containsExactlyInAnyOrderElementsOf(KitRun.rules());
    }
}
