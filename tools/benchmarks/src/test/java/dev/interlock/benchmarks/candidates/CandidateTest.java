// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
