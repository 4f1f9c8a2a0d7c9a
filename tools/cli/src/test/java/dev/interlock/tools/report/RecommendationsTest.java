// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLocks;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.tools.backends.TestStrategies;
import dev.interlock.tools.measure.GuardedCounter;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RecommendationsTest {
    private static StrategyReport report(Consumer<StrategyReport.Builder> results) {
        LockStrategyProvider provider = DistributedLocks.strategies().stream()
                .filter(it -> it.name().equals("set-nx-px"))
                .findFirst()
                .orElseThrow();
        StrategyReport.Builder report = new StrategyReport.Builder(provider);
        results.accept(report);
        return report.build();
    }

    private static Recommendation first(Consumer<StrategyReport.Builder> results) {
        return Recommendations.of(List.of(report(results)), null).get(0);
    }

    @Test
    void whatNobodyHasExaminedIsNotRecommended() {
        Recommendation recommendation = first(report -> {});

        assertThat(recommendation.strategy()).isNull();
        assertThat(recommendation.reason())
                .isEqualTo("set-nx-px would do, but nothing was examined here but what the profiles promise");
    }

    @Test
    void aStrategyInWhichNothingWrongWasFoundIsRecommended() {
        assertThat(first(report -> report.guardedCounter(new GuardedCounter.Result(2, 4, 10, 10)))
                        .strategy())
                .isEqualTo("set-nx-px");
    }

    @Test
    void aStrategyThatNoGeneralNeedTakesIsRecommendedForItsOwnPurpose() {
        StrategyReport general = report(report -> report.guardedCounter(new GuardedCounter.Result(2, 4, 10, 10)));
        StrategyReport.Builder trio = new StrategyReport.Builder(new TestStrategies.TrioStrategyProvider());
        trio.guardedCounter(new GuardedCounter.Result(2, 4, 10, 10));

        assertThat(Recommendations.of(List.of(general, trio.build()), null))
                .hasSize(4)
                .last()
                .isEqualTo(new Recommendation(
                        "agree in threes",
                        TestStrategies.TRIO,
                        "Made up for the tests of the comparison, on three servers."));
    }

    @Test
    void aStrategyThatLostUpdatesIsNotRecommended() {
        Recommendation recommendation = first(report -> report.guardedCounter(new GuardedCounter.Result(2, 4, 10, 9)));

        assertThat(recommendation.strategy()).isNull();
        assertThat(recommendation.reason()).isEqualTo("something went wrong here with set-nx-px");
    }

    @Test
    void aStrategyThatCouldNotBeExaminedIsNotRecommended() {
        Recommendation recommendation = first(report -> report.failure("it broke"));

        assertThat(recommendation.strategy()).isNull();
        assertThat(recommendation.reason()).isEqualTo("something went wrong here with set-nx-px");
    }
}
