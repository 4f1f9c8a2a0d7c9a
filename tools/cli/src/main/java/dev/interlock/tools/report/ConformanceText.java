// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.conformance.ConformanceReport;
import dev.interlock.tools.conformance.ConformanceResult;
import java.util.List;
import java.util.Map;

/** Writes a report of the kit for a terminal. */
public final class ConformanceText {
    private static final String TITLE = "Interlock: the contract, rule by rule";
    private static final String HELP =
            "What a rule means, and where to look when it fails, is in docs/contract.md under its number.";

    private ConformanceText() {}

    public static String render(ConformanceReport report) {
        StringBuilder text = new StringBuilder();
        text.append(TITLE).append("\n");
        TerminalRenderer.wrap(
                text,
                report.finishedAt() + "; Interlock " + report.interlock() + "; "
                        + Headlines.redis(report.redisVersions()) + "; "
                        + report.machine().description());
        Map<String, ConformanceResult> results = report.results();
        TerminalRenderer.table(text, ReportTables.conformance(results));
        report.strategies().stream()
                .flatMap(entry -> ReportTables.options(entry.label(), entry.options()).stream())
                .forEach(options -> TerminalRenderer.wrap(text, options));
        List<String> problems = report.problems();
        if (!problems.isEmpty()) {
            text.append("\n");
            problems.forEach(problem -> TerminalRenderer.wrap(text, problem));
            TerminalRenderer.wrap(text, HELP);
        }
        results.forEach((label, result) -> result.skipped().forEach((reason, rules) -> {
            text.append("\n");
            TerminalRenderer.wrap(
                    text, "Skipped with " + label + ", because " + reason + ": " + String.join(", ", rules));
        }));
        return text.toString();
    }
}
