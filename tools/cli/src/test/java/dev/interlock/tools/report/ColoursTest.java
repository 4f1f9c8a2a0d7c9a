// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ColoursTest {
    @Test
    void coloursAreForTerminalsOfUsersWhoDoNotRefuseThem() {
        assertThat(Colours.areWanted(false, "on", Map.of())).isTrue();
        assertThat(Colours.areWanted(false, "on", Map.of("NO_COLOR", ""))).isTrue();
        assertThat(Colours.areWanted(false, "on", Map.of("NO_COLOR", "1"))).isFalse();
        assertThat(Colours.areWanted(true, "on", Map.of())).isFalse();
        assertThat(Colours.areWanted(false, "", Map.of()))
                .as("a file or a pipe")
                .isFalse();
        assertThat(Colours.areWanted(false, null, Map.of()))
                .as("without the launcher")
                .isFalse();
    }

    @Test
    void verdictsArePaintedAndOtherWordsAreNot() {
        assertThat(Colours.paint("| safe | unsafe |")).isEqualTo("| \u001b[32msafe\u001b[0m | unsafe |");
        assertThat(Colours.paint("fenced !")).isEqualTo("\u001b[33mfenced\u001b[0m !");
        assertThat(Colours.paint("FAILED:")).isEqualTo("\u001b[31mFAILED\u001b[0m:");
    }
}
