// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.tools.conformance.RuleVerdict.Outcome;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConformanceResultTest {
    @Test
    void aRuleThatIsBrokenInSomeRoundsIsBrokenAndSaysInHowMany() {
        ConformanceResult rounds = ConformanceResult.ofRounds(List.of(
                round(Outcome.PASSED, Outcome.FAILED, Outcome.PASSED),
                round(Outcome.FAILED, Outcome.FAILED, Outcome.PASSED),
                round(Outcome.FAILED, Outcome.FAILED, Outcome.SKIPPED)));

        assertThat(rounds.rounds()).isEqualTo(3);
        assertThat(rounds.all()).isEqualTo(new ConformanceResult.Count(1, 2, 0));
        assertThat(rounds.failed()).extracting(RuleVerdict::brokenRounds).containsExactly(2, 3);
        assertThat(rounds.failed())
                .extracting(RuleVerdict::message)
                .containsExactly("in 2 of 3 rounds: it is so", "in each of 3 rounds: it is so");
        assertThat(rounds.brokenInSomeRounds()).isEqualTo(1);
        assertThat(rounds.brokenInSomeRounds(Chapter.EXCLUSION)).isEqualTo(1);
        assertThat(rounds.brokenInSomeRounds(Chapter.INTERRUPTS)).isZero();
    }

    @Test
    void theRetriesOfAllRoundsAreAddedUpAndAnOlderReportHasNone() {
        ConformanceResult two = new ConformanceResult(List.of(), 2);
        ConformanceResult three = new ConformanceResult(List.of(), 3);
        ConformanceResult older = new ConformanceResult(List.of(), null, null);

        assertThat(ConformanceResult.ofRounds(List.of(two, three)).retries()).isEqualTo(5);
        assertThat(ConformanceResult.ofRounds(List.of(older, older)).retries()).isNull();
    }

    @Test
    void oneRoundIsItself() {
        ConformanceResult once = round(Outcome.FAILED);

        assertThat(ConformanceResult.ofRounds(List.of(once))).isSameAs(once);
        assertThat(once.rounds()).isNull();
        assertThat(once.brokenInSomeRounds()).isZero();
    }

    private static ConformanceResult round(Outcome... outcomes) {
        return new ConformanceResult(
                IntStream.range(0, outcomes.length)
                        .mapToObj(i -> new RuleVerdict(
                                1, i + 1, "rule" + i, outcomes[i], outcomes[i] == Outcome.PASSED ? null : "it is so"))
                        .toList(),
                0);
    }
}
