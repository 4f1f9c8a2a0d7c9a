// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.operation;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.engine.environment.Environment;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Electorate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LearningTest {
    private final Births births = new Births(
            Environment.system(), "birth", "", new Electorate(List.of("a:1", "b:2", "c:3")), Duration.ZERO, time -> 0);

    private final NodeChange change = new NodeChange(Environment.system(), new RecordedLists(), births);

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void aCommandThatIsInterruptedBeforeAnyNodeAnswersEndsWithAnInterruptedException() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() ->
                        change.perform(Optional.of("c:3"), Optional.of("d:4"), Set.of("c:3"), news -> {}, () -> {}))
                .isInstanceOf(InterruptedException.class);
    }
}
