// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.candidates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ArtifactsTest {
    private static final String TREE = """
            dev.interlock:program:jar:1:compile
            +- a:first:jar:1.0:compile
            |  +- (a:common:jar:2:compile - version managed from 1; omitted for duplicate)
            |  \\- a:deep:jar:1:compile (scope not updated to compile)
            |     \\- a:deeper:jar:native:1:runtime
            +- a:second:jar:1:compile
            |  \\- a:common:jar:2:compile
            |     \\- a:base:jar:1:compile
            \\- a:third:jar:1:compile
            """;

    private final Artifacts artifacts = new Artifacts(TREE);

    @Test
    void whatIsNeededIsFoundOverAllLevelsAndWhereMavenNamesItOnlyOnce() {
        assertThat(artifacts.neededBy(List.of("first")))
                .containsExactlyInAnyOrder("first", "common", "base", "deep", "deeper");
        assertThat(artifacts.neededBy(List.of("second", "third")))
                .containsExactlyInAnyOrder("second", "third", "common", "base");
    }

    @Test
    void anArtifactThatIsNotThereIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> artifacts.neededBy(List.of("fourth")))
                .withMessageContaining("fourth");
    }
}
