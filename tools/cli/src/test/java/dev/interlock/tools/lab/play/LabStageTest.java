// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab.play;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLocks;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LabStageTest {
    static Iterable<Contestant> specimens() {
        return Contestant.SPECIMENS;
    }

    static Iterable<Contestant> strategies() {
        return Contestant.installed(
                DistributedLocks.strategies().stream()
                        .filter(provider -> !provider.name().startsWith("test-"))
                        .toList(),
                Map.of());
    }

    /** With the same options on both sides the cell would be safe, and show nothing. */
    @ParameterizedTest
    @MethodSource("specimens")
    void aStrategyWithoutOptionsToMixIsNotConcernedByMixedOptions(Contestant specimen) {
        mixOptions(
                specimen,
                stage -> assertThatThrownBy(stage::mixOptions)
                        .isInstanceOf(NotConcernedException.class)
                        .hasMessageContaining("options"));
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void eachStrategyOfOursHasOptionsToMix(Contestant strategy) {
        mixOptions(strategy, stage -> assertThatCode(stage::mixOptions).doesNotThrowAnyException());
    }

    private static void mixOptions(Contestant contestant, Consumer<LabStage> check) {
        try (LabProcesses processes = new LabProcesses();
                LabStage stage = new LabStage(contestant, Duration.ofSeconds(2), 1, processes)) {
            check.accept(stage);
        }
    }
}
