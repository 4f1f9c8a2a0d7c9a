// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each assumption of the profile of set-nx-px is shown to be one: there is a model without it, which is refuted. */
class AssumptionTest {
    private static final Path PROFILE = Path.of(
            "..",
            "strategy-set-nx-px",
            "src",
            "main",
            "java",
            "dev",
            "interlock",
            "setnxpx",
            "SetNxPxStrategyProvider.java");

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void eachAssumptionOfTheProfileHasAModelWithoutItAndARowOnThePage() throws IOException {
        Set<String> assumed = found("\\bAssumption\\.([A-Z_]+)", Files.readString(PROFILE));
        Set<String> refuted = HandOverTest.withoutAssumptions().stream()
                .map(arguments -> (String) arguments.get()[0])
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(assumed).isNotEmpty();
        assertThat(refuted).isEqualTo(assumed);
        assertThat(found("(?m)^\\| `([A-Z]+_[A-Z_]+)`", Files.readString(Path.of("README.md"))))
                .isEqualTo(assumed);
    }
}
