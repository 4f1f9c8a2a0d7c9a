// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CandidateTest {
    private static List<String> optionsOf(String name) {
        return Candidates.all().stream()
                .filter(candidate -> candidate.name().equals(name))
                .map(candidate -> Arrays.asList(candidate.effectiveOptions().split("; ")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theOptionsOfAStrategyAreThoseThatWereChosenAndTheDefaultsOfTheOthers() {
        assertThat(optionsOf("set-nx-px/lettuce/wakeup=pubsub"))
                .contains("client=lettuce", "wakeup=pubsub", "fencing=true", "local-handoffs=16")
                .noneMatch(option -> option.startsWith("strategy="));
        assertThat(optionsOf("set-nx-px/lettuce/local-handoffs=0")).contains("local-handoffs=0");
    }

    @Test
    void theOptionsOfRedlockAreThoseOfTheKitAndTheLab() {
        assertThat(optionsOf("redlock/lettuce")).contains("cold-start=trust", "client=lettuce");
    }

    @Test
    void theOptionsOfOtherLocksAreThoseThatTheBenchmarkSets() {
        assertThat(optionsOf(Candidates.REDISSON)).containsExactly("kind=rlock");
    }

    @Test
    void aCandidateMayBeNamedWithFurtherOptionsOfItsStrategy() {
        String name = "set-nx-px/interlock/fencing=false/shared-connections=4";
        List<Candidate> all = Candidates.allAnd(List.of(name, "set-nx-px/interlock"));
        assertThat(all).hasSize(Candidates.all().size() + 1);
        assertThat(all.get(all.size() - 1).name()).isEqualTo(name);
        assertThat(all.get(all.size() - 1).effectiveOptions()).contains("shared-connections=4", "fencing=false");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set-nx-px/interlock/unheard-of=1",
                "set-nx-px/nobody/shared-connections=4",
                "raw-jedis/shared-connections=4",
                "set-nx-px/interlock/shared-connections",
                "=1"
            })
    void aNameThatMeansNoCandidateAddsNone(String name) {
        assertThat(Candidates.allAnd(List.of(name))).hasSameSizeAs(Candidates.all());
    }
}
