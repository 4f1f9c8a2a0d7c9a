// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was checked can be read where a leg is run. */
class SpecificationTest {
    @Test
    void theNumberOfStatesOfEachModelIsPrintedAndPublished() {
        TlcOutcome outcome = new TlcOutcome(
                "Model checking completed. No error has been found.\n70 states generated, 43 distinct states found",
                Path.of("drift"));
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        List<String> published = new ArrayList<>();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            new Specification("setnxpx", "HandOver")
                    .report(
                            "drift",
                            outcome,
                            entries -> entries.forEach((key, value) -> published.add(key + " " + value)));
        } finally {
            System.setOut(before);
        }

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .isEqualToIgnoringNewLines("HandOver drift: holds in 43 distinct states");
        assertThat(published).containsExactly("interlock.spec.drift holds in 43 distinct states");
    }
}
