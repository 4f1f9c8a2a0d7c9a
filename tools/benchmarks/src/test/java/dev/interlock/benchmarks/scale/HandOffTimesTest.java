// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.tools.backends.ToolException;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandOffTimesTest {
    @Test
    void aHandOffIsTheTimeFromAReleaseToTheAcquisitionOfAnotherClient() {
        assertThat(ClientGrowth.handOffsOf(List.of(
                        new long[] {100, 110, 0}, new long[] {150, 160, 1}, new long[] {300, 310, 0}, new long[] {
                            170, 180, 1
                        })))
                .as("the second client acquired twice in a row")
                .containsExactly(40, 120);
    }

    @Test
    void twoHoldersAtOnceAreAnError() {
        assertThatThrownBy(() -> ClientGrowth.handOffsOf(List.of(new long[] {100, 200, 0}, new long[] {150, 160, 1})))
                .isInstanceOf(ToolException.class)
                .hasMessage("two clients held the lock at once");
    }

    @Test
    void waitersOnNamesOfTheirOwnAreTimedFromTheReleaseOfTheirNameAndThoseOfOneNameFromTheOneBefore() {
        assertThat(WaiterGrowth.handOffs(new long[] {10, 20, 30}, new long[] {15, 26, 37}))
                .containsExactly(5, 6, 7);
        assertThat(WaiterGrowth.handOffs(new long[] {10}, new long[] {30, 15, 22}))
                .containsExactly(5, 7, 8);
    }
}
