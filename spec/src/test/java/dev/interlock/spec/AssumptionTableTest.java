// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page and the models without an assumption name the assumptions that the profiles declare. */
class AssumptionTableTest {
    private static final Path PAGE = Path.of("README.md");

    /** The files that declare the profiles. */
    private static final Map<String, Path> PROFILES = Map.of(
            "redlock",
            Path.of("../strategy-redlock/src/main/java/dev/interlock/redlock/Settings.java"),
            "set-nx-px",
            Path.of("../strategy-set-nx-px/src/main/java/dev/interlock/setnxpx/SetNxPxStrategyProvider.java"));

    private static final Pattern DECLARED = Pattern.compile("\\bAssumption\\.([A-Z_]+)");

    private static final Pattern SECTION = Pattern.compile("(?ms)^## Assumptions\\n(.+?)^## ");

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| ([a-z-]+) \\| `(\\w+)`[^|]*\\|[^|]+\\| (\\w+ [\\w-]+) \\| `(\\w+)` \\|$");

    @ParameterizedTest
    @ValueSource(strings = {"redlock", "set-nx-px"})
    void eachAssumptionOfAProfileIsDroppedInSomeModel(String strategy) throws IOException {
        List<String> declared = DECLARED.matcher(Files.readString(PROFILES.get(strategy)))
                .results()
                .map(it -> it.group(1))
                .distinct()
                .toList();
        List<String> dropped = DroppedAssumption.all().stream()
                .filter(it -> it.strategy().equals(strategy))
                .map(DroppedAssumption::assumption)
                .distinct()
                .toList();
        assertThat(dropped).containsExactlyInAnyOrderElementsOf(declared);
    }

    @Test
    void thePageHasARowForEachModelWithoutAnAssumption() throws IOException {
        Matcher section = SECTION.matcher(Files.readString(PAGE));
        assertThat(section.find()).as("a section Assumptions").isTrue();
        List<String> rows = ROW.matcher(section.group(1))
                .results()
                .map(row -> String.join(" ", row.group(1), row.group(2), row.group(3), row.group(4)))
                .toList();
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(DroppedAssumption.all().stream()
                        .map(it -> String.join(
                                " ", it.strategy(), it.assumption(), it.module(), it.model(), it.refutedBy()))
                        .collect(Collectors.toList()));
    }
}
