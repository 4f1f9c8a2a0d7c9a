// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tools.lab.play.LabFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the page on the safety of redlock says of each case, and what the fault lab found. */
class SafetyPageTest {
    private static final Path PAGE = Path.of("../../docs/strategies/redlock-safety.md");
    private static final Pattern CASE =
            Pattern.compile("(?m)^\\| ([A-G]?) ?\\| ([^|]+) \\| ([^|]+) \\| ([^|]*?) ?\\| ([^|]+) \\|$");
    private static final Pattern FAULT = Pattern.compile("`([a-z-]+)`");
    private static final String SAFE = "safe";
    private static final String NOT_SAFE = "**not safe**";

    private final FaultTable table = FaultTable.read(Path.of("../../docs/fault-table.tsv"));

    private static List<MatchResult> cases() throws IOException {
        String page = Files.readString(PAGE);
        return CASE.matcher(page.substring(page.indexOf("## Cases"), page.indexOf("## What is lost")))
                .results()
                .toList();
    }

    /** The faults that play a case. */
    private static List<LabFault> faults(MatchResult row) {
        return FAULT.matcher(row.group(5))
                .results()
                .map(name -> LabFault.of(name.group(1)).orElseThrow())
                .toList();
    }

    @Test
    void eachWayAroundTheGuardIsPlayed() throws IOException {
        Set<String> played = new TreeSet<>();
        for (MatchResult row : cases()) {
            if (!faults(row).isEmpty()) {
                played.add(row.group(1));
            }
        }

        assertThat(played).contains("A", "B", "C", "D", "E", "F", "G");
    }

    /** Of a case with two faults, the first is what the page speaks of before it says when that is not so. */
    @Test
    void whatIsSafeByThePageWasFoundToBeAndWhatIsNotWasFoundNotToBe() throws IOException {
        for (MatchResult row : cases()) {
            Optional<LabFault> fault = faults(row).stream().findFirst();
            if (fault.isPresent()) {
                assertFound("redlock (wait)", fault.get(), row.group(3));
                assertFound("redlock", fault.get(), row.group(4));
            }
        }
    }

    private void assertFound(String strategy, LabFault fault, String said) {
        String found = table.find(strategy + ": " + fault.id()).orElseThrow().verdict();
        if (said.startsWith(SAFE)) {
            assertThat(found).as("%s under %s", strategy, fault.id()).isEqualTo(CellVerdict.SAFE.word());
        } else if (!said.isBlank()) {
            assertThat(said).startsWith(NOT_SAFE);
            assertThat(found).as("%s under %s", strategy, fault.id()).isEqualTo(CellVerdict.FENCED.word());
        }
    }

    /** Or an assertion above would compare nothing. */
    @Test
    void thePageHasCasesOfBothKinds() throws IOException {
        for (int column : new int[] {3, 4}) {
            assertThat(cases().stream().filter(row -> !faults(row).isEmpty()).map(row -> row.group(column)))
                    .anyMatch(said -> said.startsWith(SAFE))
                    .anyMatch(said -> said.startsWith(NOT_SAFE));
        }
    }
}
