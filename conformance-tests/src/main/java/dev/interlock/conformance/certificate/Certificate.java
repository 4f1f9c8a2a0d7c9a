// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.certificate;

import dev.interlock.conformance.certificate.RuleOutcome.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The rules that a lock keeps and breaks, the rules that were skipped and why, and what the kit does not test.
 *
 * @param subject the name of the lock under test
 * @param kit the simple name of the class whose rules these are
 * @param date when the run ended, as in ISO 8601
 * @param versions the versions of the libraries and of the JVM, by name
 * @param options the options with which the strategy ran, those that were left at their defaults too, by name; a value
 *     that may be secret is replaced; empty for a lock that is no strategy
 * @param rules the outcome of each rule of the kit, in the order of their numbers
 * @param notTested what the kit does not test, a sentence each
 */
public record Certificate(
        String subject,
        String kit,
        String date,
        Map<String, String> versions,
        Map<String, String> options,
        List<RuleOutcome> rules,
        List<String> notTested) {

    /**
     * Returns the rules with one result.
     *
     * @param result the result
     * @return the rules, in the order of their numbers
     */
    public List<RuleOutcome> with(Result result) {
        return rules.stream().filter(rule -> rule.result() == result).toList();
    }

    /**
     * Returns the verdict in one line.
     *
     * @return the numbers of rules that were kept, broken, skipped and not run
     */
    public String summary() {
        int left = with(Result.NOT_RUN).size();
        return subject + ": " + with(Result.KEPT).size() + " rules kept, "
                + with(Result.BROKEN).size() + " broken, "
                + with(Result.SKIPPED).size() + " skipped"
                + (left == 0 ? "" : ", " + left + " not run, so this run is incomplete");
    }

    /**
     * Returns the certificate as a page.
     *
     * @return Markdown
     */
    public String markdown() {
        StringBuilder page = new StringBuilder("# Conformance of ")
                .append(subject)
                .append("\n\n")
                .append(summary())
                .append(".\n\n| | |\n|---|---|\n| Kit | `")
                .append(kit)
                .append("` |\n| Date | ")
                .append(date)
                .append(" |\n");
        versions.forEach((name, version) -> row(page, name, version));
        if (!options.isEmpty()) {
            row(
                    page,
                    "Options",
                    options.entrySet().stream()
                            .map(option -> "`" + option.getKey() + "=" + option.getValue() + "`")
                            .collect(Collectors.joining(", ")));
        }
        page.append("\n## Broken\n\n");
        with(Result.BROKEN)
                .forEach(rule -> item(page, rule)
                        .append(": ")
                        .append(cell(rule.reason()))
                        .append('\n'));
        none(page, Result.BROKEN);
        page.append("\n## Skipped\n\n");
        skipped()
                .forEach((reason, ids) -> page.append("- ")
                        .append(cell(reason))
                        .append(": ")
                        .append(String.join(", ", ids))
                        .append('\n'));
        none(page, Result.SKIPPED);
        if (!with(Result.NOT_RUN).isEmpty()) {
            page.append("\n## Not run\n\n")
                    .append(String.join(
                            ", ",
                            with(Result.NOT_RUN).stream().map(RuleOutcome::id).toList()))
                    .append('\n');
        }
        page.append("\n## Kept\n\n");
        with(Result.KEPT).forEach(rule -> item(page, rule).append('\n'));
        none(page, Result.KEPT);
        page.append("\n## Not tested by this kit\n\n");
        notTested.forEach(sentence -> page.append("- ").append(sentence).append('\n'));
        return page.toString();
    }

    private static void row(StringBuilder page, String name, String value) {
        page.append("| ").append(cell(name)).append(" | ").append(cell(value)).append(" |\n");
    }

    private static StringBuilder item(StringBuilder page, RuleOutcome rule) {
        return page.append("- ").append(rule.id()).append(' ').append(rule.sentence());
    }

    private void none(StringBuilder page, Result result) {
        if (with(result).isEmpty()) {
            page.append("None.\n");
        }
    }

    /** The numbers of the rules that were skipped, by the reason why. */
    private Map<String, List<String>> skipped() {
        Map<String, List<String>> reasons = new LinkedHashMap<>();
        for (RuleOutcome rule : with(Result.SKIPPED)) {
            reasons.computeIfAbsent(rule.reason(), reason -> new ArrayList<>()).add(rule.id());
        }
        return reasons;
    }

    /**
     * Puts a text of many lines, such as an assertion message, into one line, since it would end the table or list
     * around it.
     */
    private static String cell(String text) {
        return text.replaceAll("\\s+", " ").replace("|", "\\|").strip();
    }

    /**
     * Returns the certificate for programs. Its {@code kind} is {@code certificate}; its {@code schemaVersion} changes
     * when a reader of an older form would be misled.
     *
     * @return a JSON object
     */
    public String json() {
        StringBuilder json = new StringBuilder("{\n  \"kind\": \"certificate\",\n  \"schemaVersion\": 1");
        member(json, "subject", subject);
        member(json, "kit", kit);
        member(json, "date", date);
        member(json, "versions", versions);
        if (!options.isEmpty()) {
            member(json, "options", options);
        }
        json.append(",\n  \"rules\": [");
        String separator = "\n";
        for (RuleOutcome rule : rules) {
            json.append(separator)
                    .append("    {\"id\": ")
                    .append(quoted(rule.id()))
                    .append(", \"name\": ")
                    .append(quoted(rule.name()))
                    .append(", \"result\": ")
                    .append(quoted(rule.result().name()));
            if (!rule.reason().isEmpty()) {
                json.append(", \"reason\": ").append(quoted(rule.reason()));
            }
            json.append('}');
            separator = ",\n";
        }
        json.append("\n  ],\n  \"notTested\": [");
        separator = "\n    ";
        for (String sentence : notTested) {
            json.append(separator).append(quoted(sentence));
            separator = ",\n    ";
        }
        return json.append("\n  ]\n}\n").toString();
    }

    private static void member(StringBuilder json, String name, String value) {
        json.append(",\n  ").append(quoted(name)).append(": ").append(quoted(value));
    }

    private static void member(StringBuilder json, String name, Map<String, String> values) {
        json.append(",\n  ")
                .append(quoted(name))
                .append(values.entrySet().stream()
                        .map(value -> quoted(value.getKey()) + ": " + quoted(value.getValue()))
                        .collect(Collectors.joining(", ", ": {", "}")));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
