// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.tools.backends.Messages;
import dev.interlock.tools.conformance.ConformanceReport;
import dev.interlock.tools.conformance.ConformanceResult;
import dev.interlock.tools.conformance.Rule;
import dev.interlock.tools.conformance.RuleVerdict;
import dev.interlock.tools.conformance.RuleVerdict.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Writes the page that shows all rules and who keeps them. It leaves out what differs between two runs with the same
 * results, such as the number of retries, so that it can be kept under version control.
 */
public final class ConformancePage {
    /** The command that writes the page of the checkout. */
    static final String COMMAND = "./interlock conformance --document docs/conformance.md";

    private static final String KEPT = "✓";
    private static final String BROKEN = "✗";
    private static final String SKIPPED = "–";

    private final StringBuilder text = new StringBuilder();
    private final List<String> labels;
    private final Map<String, Map<String, RuleVerdict>> verdicts = new LinkedHashMap<>();

    private ConformancePage(ConformanceReport report) {
        labels =
                report.strategies().stream().map(ConformanceReport.Entry::label).toList();
        report.results()
                .forEach((label, result) -> verdicts.put(
                        label,
                        result.rules().stream().collect(Collectors.toMap(RuleVerdict::id, Function.identity()))));
    }

    public static String render(ConformanceReport report) {
        ConformancePage page = new ConformancePage(report);
        page.head(report);
        page.options(report);
        for (Chapter chapter : Chapter.values()) {
            page.chapter(chapter);
        }
        page.skipped(report);
        return page.text.toString();
    }

    private void head(ConformanceReport report) {
        text.append("# Conformance\n\n");
        text.append("Which rules of [the contract](contract.md) each strategy keeps, as the\n");
        text.append("[conformance kit](writing-a-strategy.md#the-conformance-kit) found it. Written by\n");
        text.append("`").append(COMMAND).append("`.\n\n");
        text.append("Interlock ")
                .append(report.interlock())
                .append("; ")
                .append(Headlines.redis(report.redisVersions()))
                .append("; Java ")
                .append(Runtime.version().feature())
                .append(".\n\n");
        text.append(KEPT + " kept, " + BROKEN + " broken, " + SKIPPED + " [skipped](#skipped-rules).\n\n");
        row("strategy", List.of("kept", "broken", "skipped"));
        text.append("|---|---:|---:|---:|\n");
        report.results().forEach((label, result) -> {
            ConformanceResult.Count count = result.all();
            row(
                    label,
                    List.of(
                            Long.toString(count.passed()),
                            Long.toString(count.failed()),
                            Long.toString(count.skipped())));
        });
    }

    private void options(ConformanceReport report) {
        text.append("\n## Options\n\n");
        text.append("On how many servers each strategy ran, and with which options, defaults included.\n\n");
        row("strategy", List.of("servers", "options"));
        text.append("|---|---:|---|\n");
        for (ConformanceReport.Entry entry : report.strategies()) {
            row(
                    entry.label(),
                    List.of(
                            Objects.toString(entry.servers(), ""),
                            new TreeMap<>(entry.options())
                                    .entrySet().stream()
                                            .map(option -> "`" + option.getKey() + "="
                                                    + Messages.withoutPasswords(option.getValue()) + "`")
                                            .collect(Collectors.joining(", "))));
        }
    }

    private void chapter(Chapter chapter) {
        text.append("\n## ")
                .append(chapter.number())
                .append(". ")
                .append(chapter.title())
                .append("\n\n");
        List<String> header = new ArrayList<>(List.of("rule", "depends on"));
        header.addAll(labels);
        row("", header);
        text.append("|---|---|---|").append(":---:|".repeat(labels.size())).append("\n");
        for (Rule rule : Rule.ALL) {
            if (rule.chapter() == chapter) {
                List<String> cells = new ArrayList<>(List.of(rule.sentence(), rule.needs()));
                labels.forEach(label -> cells.add(mark(label, rule)));
                row("[" + rule.id() + "](contract.md#" + anchor(rule) + ")", cells);
            }
        }
    }

    /** Returns the anchor of a rule's heading in the contract: without dots, in lower case. */
    private static String anchor(Rule rule) {
        return rule.chapter().number() + "" + rule.number() + "-" + rule.name().toLowerCase(Locale.ROOT);
    }

    private String mark(String label, Rule rule) {
        RuleVerdict verdict = verdicts.getOrDefault(label, Map.of()).get(rule.id());
        return verdict == null ? "" : mark(verdict.outcome());
    }

    private static String mark(Outcome outcome) {
        return switch (outcome) {
            case PASSED -> KEPT;
            case FAILED -> BROKEN;
            case SKIPPED -> SKIPPED;
        };
    }

    private void skipped(ConformanceReport report) {
        text.append("\n## Skipped rules\n\n");
        row("strategy", List.of("why", "rules"));
        text.append("|---|---|---|\n");
        report.results()
                .forEach((label, result) -> result.skipped()
                        .forEach((reason, rules) -> row(label, List.of(reason, String.join(", ", rules)))));
    }

    private void row(String first, List<String> others) {
        text.append("|").append(cell(first));
        others.forEach(other -> text.append(cell(other)));
        text.append("\n");
    }

    private static String cell(String content) {
        return content.isEmpty() ? " |" : " " + content.replace("|", "\\|") + " |";
    }
}
