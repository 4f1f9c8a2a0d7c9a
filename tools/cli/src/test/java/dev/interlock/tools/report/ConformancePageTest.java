// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLocks;
import dev.interlock.tools.backends.ConfiguredStrategy;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.conformance.ConformanceReport;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.conformance.RuleVerdict;
import dev.interlock.tools.conformance.RuleVerdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConformancePageTest {
    private static final Path PAGE = Path.of("../../docs/conformance.md");
    private static final String AGAIN = "docs/conformance.md is out of date: write it anew by "
            + ConformancePage.COMMAND + ", with JAVA_HOME at a JDK 21 or newer";

    /** The cells before the results. */
    private static final int CELLS_OF_A_RULE = 3;

    @Test
    void thePageOfTheCheckoutShowsTheRulesOfTheKitAndTheInstalledStrategies() throws IOException {
        List<ConfiguredStrategy> candidates = DistributedLocks.strategies().stream()
                .filter(provider -> !provider.name().startsWith("test-"))
                .flatMap(provider -> ConfiguredStrategy.of(provider, Map.of()).overEachClient().stream())
                .toList();
        String expected = ConformancePage.render(
                report(candidates.stream().map(ConformancePageTest::entry).toList()));

        String actual = page();

        assertThat(columns(actual)).as(AGAIN).isEqualTo(columns(expected));
        assertThat(rules(actual)).as(AGAIN).isEqualTo(rules(expected)).hasSameSizeAs(Rule.ALL);
        assertThat(options(actual)).as(AGAIN).isEqualTo(options(expected));
    }

    @Test
    void onThePageOfTheCheckoutEachRuleIsKeptOrSkipped() throws IOException {
        assertThat(page().lines().filter(ConformancePageTest::isRule))
                .as(AGAIN)
                .allSatisfy(line -> assertThat(cells(line).stream().skip(CELLS_OF_A_RULE))
                        .isNotEmpty()
                        .allMatch(List.of("✓", "–")::contains));
    }

    private static String page() throws IOException {
        assertThat(PAGE).as(AGAIN).exists();
        return Files.readString(PAGE);
    }

    /** The headings of the tables of chapters, which are all the same. */
    private static List<String> columns(String page) {
        return page.lines()
                .filter(line -> line.contains("| depends on |"))
                .distinct()
                .toList();
    }

    private static String options(String page) {
        int start = page.indexOf("## Options");
        return start < 0 ? "" : page.substring(start, page.indexOf("## 1. "));
    }

    private static List<List<String>> rules(String page) {
        return page.lines()
                .filter(ConformancePageTest::isRule)
                .map(line -> cells(line).subList(0, CELLS_OF_A_RULE))
                .toList();
    }

    private static boolean isRule(String line) {
        return line.startsWith("| [");
    }

    private static List<String> cells(String line) {
        return Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList();
    }

    @Test
    void thePageShowsEachResultAndWhyRulesWereSkipped() {
        Rule first = Rule.ALL.get(0);
        Rule second = Rule.ALL.get(1);

        String page = ConformancePage.render(report(List.of(
                entry(
                        "a (jedis)",
                        List.of(
                                RuleVerdict.of(first, Outcome.PASSED, null),
                                RuleVerdict.of(second, Outcome.SKIPPED, "it has no numbers"))),
                entry("b", List.of(RuleVerdict.of(first, Outcome.FAILED, "thread 17 came first"))))));

        assertThat(page)
                .contains("Interlock 1.2.3; Redis 7.0.1; Java ")
                .contains("| a (jedis) | 1 | 0 | 1 |", "| b | 0 | 1 | 0 |")
                .contains("| | rule | depends on | a (jedis) | b |")
                .contains(
                        "| a (jedis) | 5 | `colour=red`, `nodes=redis://***@host` |",
                        "| b | 5 | `colour=red`, `nodes=redis://***@host` |")
                .contains("| " + first.sentence() + " | " + first.needs() + " | ✓ | ✗ |")
                .contains("| " + second.sentence() + " | " + second.needs() + " | – | |")
                .contains("| a (jedis) | it has no numbers | " + second.id() + " |")
                .doesNotContain("2026", "thread 17");
    }

    @Test
    void aRuleLinksToItsHeadingInTheContract() {
        String page = ConformancePage.render(report(List.of()));
        for (Rule rule : Rule.ALL) {
            String heading = "### " + rule.id() + " `" + rule.name() + "`";
            String anchor = heading.substring("### ".length())
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^a-z0-9 ]", "")
                    .replace(' ', '-');
            assertThat(page).contains("[" + rule.id() + "](contract.md#" + anchor + ")");
        }
    }

    private static ConformanceReport report(List<ConformanceReport.Entry> entries) {
        return new ConformanceReport(
                1,
                "2026-11-21T12:00:00Z",
                "1.2.3",
                new Machine("17.0.1+1 (Maker)", "Linux 6.1, amd64", 2, null),
                entries);
    }

    private static ConformanceReport.Entry entry(String label, List<RuleVerdict> verdicts) {
        Map<String, String> options = Map.of("nodes", "redis://user:hunter2@host", "colour", "red");
        return new ConformanceReport.Entry(label, options, label, "7.0.1", 5, new ConformanceResult(verdicts, 3), null);
    }

    private static ConformanceReport.Entry entry(ConfiguredStrategy candidate) {
        return new ConformanceReport.Entry(
                candidate.provider().name(),
                candidate.effectiveOptions(),
                candidate.label(),
                null,
                candidate.provider().profile().servers().usual(),
                new ConformanceResult(List.of(), 0),
                null);
    }
}
