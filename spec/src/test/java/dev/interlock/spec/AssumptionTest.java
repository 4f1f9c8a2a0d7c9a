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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each assumption of a profile is shown to be one: there is a model without it, which is refuted. */
class AssumptionTest {
    /** Without it nobody gets the lock, which breaks no promise of safety. */
    private static final String ONLY_LIVENESS = "MAJORITY_UP";

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @CsvSource({
        "set-nx-px, strategy-set-nx-px/src/main/java/dev/interlock/setnxpx/SetNxPxStrategyProvider.java",
        "redlock, strategy-redlock/src/main/java/dev/interlock/redlock/Settings.java"
    })
    void eachAssumptionOfAProfileHasAModelWithoutItAndARowOnThePage(String strategy, String profile)
            throws IOException {
        Set<String> assumed = found("\\bAssumption\\.([A-Z_]+)", Files.readString(Path.of("..", profile)));
        assumed.remove(ONLY_LIVENESS);
        Set<String> refuted = DroppedAssumption.all().stream()
                .filter(dropped -> dropped.strategy().equals(strategy))
                .map(DroppedAssumption::assumption)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(assumed).isNotEmpty();
        assertThat(refuted).isEqualTo(assumed);
        assertThat(found("(?m)^\\| " + strategy + " \\| `([A-Z_]+)`", Files.readString(Path.of("README.md"))))
                .isEqualTo(assumed);
    }
}
