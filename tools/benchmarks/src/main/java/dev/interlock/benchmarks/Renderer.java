// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.benchmarks.candidates.Candidates;
import dev.interlock.benchmarks.figures.Metric;
import dev.interlock.benchmarks.figures.Sample;
import dev.interlock.benchmarks.network.PingTimes;
import dev.interlock.benchmarks.scenarios.Scenario;
import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.report.MarkdownRenderer;
import dev.interlock.tools.report.ReportTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Writes the outcomes: as Markdown for people, and as comma-separated values for programs. */
public final class Renderer {
    private static final String NOTHING = "-";

    /** The column of the ratios: right of the first figure. */
    private static final int RATIOS_AT = 2;

    /** All ratios; Markdown has those whose candidate was measured, and the first two always. */
    private static final List<Ratio> RATIOS = List.of(
            new Ratio("Redisson", outcome -> true, Outcome::timesRedisson),
            new Ratio("raw", outcome -> true, Outcome::timesRaw),
            new Ratio(Candidates.TOKEN_LIST, Outcome::hasTokenList, Outcome::timesTokenList),
            new Ratio(Candidates.REDISSON_REDLOCK, Outcome::hasRedissonRedlock, Outcome::timesRedissonRedlock));

    private Renderer() {}

    /** A column with the ratio of a figure to that of another candidate. */
    private record Ratio(String to, Predicate<Outcome> isShown, Value value) {
        /** The ratio of the median of a figure. */
        private interface Value {
            double of(Outcome outcome, Candidate candidate, Metric metric);
        }
    }

    public static String markdown(List<Outcome> outcomes, Conditions conditions) {
        StringBuilder text = new StringBuilder("# Interlock: strategies and what a user would pick instead\n\n");
        text.append(Instant.now().truncatedTo(ChronoUnit.SECONDS))
                .append("; ")
                .append(conditions.rounds())
                .append(conditions.rounds() == 1 ? " round of " : " rounds of ")
                .append(conditions.seconds())
                .append(" s; ")
                .append(Machine.here().description())
                .append(conditions.pinned() ? ", which clients and servers share" : "")
                .append(
                        "\n\nMedians, with the least and the greatest round. Ratios are those of the medians, by the first column of"
                                + " figures. Only ratios travel from one machine to another.\n");
        conditions
                .leftOut()
                .forEach(sentence -> text.append("\n").append(sentence).append("\n"));
        if (!outcomes.isEmpty()) {
            MarkdownRenderer.table(text, options(outcomes));
        }
        MarkdownRenderer.table(text, roundTrips(conditions.roundTrips()));
        Map<Scenario, List<Outcome>> byScenario = outcomes.stream()
                .collect(Collectors.groupingBy(Outcome::scenario, LinkedHashMap::new, Collectors.toList()));
        byScenario.values().forEach(ofScenario -> {
            if (ofScenario.size() > 1) {
                MarkdownRenderer.table(text, sideBySide(ofScenario));
            }
            ofScenario.forEach(outcome -> details(text, outcome));
        });
        return text.toString();
    }

    private static ReportTable options(List<Outcome> outcomes) {
        Set<Candidate> candidates = new LinkedHashSet<>();
        outcomes.forEach(outcome -> candidates.addAll(outcome.asked()));
        return new ReportTable(
                "Options, those that have their defaults too",
                List.of("candidate", "options"),
                candidates.stream()
                        .map(candidate -> List.of(candidate.name(), orNothing(candidate.effectiveOptions())))
                        .toList(),
                List.of());
    }

    private static String orNothing(String text) {
        return text.isEmpty() ? NOTHING : text;
    }

    private static ReportTable roundTrips(List<PingTimes> roundTrips) {
        List<List<String>> rows = roundTrips.stream()
                .map(times -> List.of(
                        times.askedText(),
                        number(times.measured().p50()),
                        number(times.measured().p99()),
                        number(times.proxyMicros()),
                        number(times.directMicros())))
                .toList();
        return new ReportTable(
                "Round trips: what PING takes with nothing else going on",
                List.of(
                        "--rtt",
                        "p50 µs",
                        "p99 µs",
                        "p50 µs through the proxy without a delay",
                        "p50 µs without a proxy"),
                rows,
                List.of());
    }

    /** The figure by which candidates are compared, in all settings. */
    private static ReportTable sideBySide(List<Outcome> outcomes) {
        Scenario scenario = outcomes.get(0).scenario();
        Metric metric = scenario.metrics().get(0);
        List<String> header = new ArrayList<>(List.of("candidate"));
        Set<Candidate> candidates = new LinkedHashSet<>();
        for (Outcome outcome : outcomes) {
            header.add(outcome.setting().label());
            header.add("× Redisson");
            candidates.addAll(outcome.candidates());
        }
        List<List<String>> rows = new ArrayList<>();
        for (Candidate candidate : candidates) {
            List<String> row = new ArrayList<>(List.of(candidate.name()));
            for (Outcome outcome : outcomes) {
                boolean measured = outcome.candidates().contains(candidate);
                row.add(measured ? cell(outcome.sample(candidate, metric)) : NOTHING);
                row.add(measured ? number(outcome.timesRedisson(candidate, metric)) : NOTHING);
            }
            rows.add(row);
        }
        return new ReportTable(scenario.title() + ": " + metric.title() + " side by side", header, rows, List.of());
    }

    private static void details(StringBuilder text, Outcome outcome) {
        MarkdownRenderer.table(text, table(outcome));
        outcome.exceptions()
                .forEach((candidate, message) -> text.append("\nThe first exception of ")
                        .append(candidate.name())
                        .append(": ")
                        .append(message.replace("\n", " "))
                        .append("\n"));
        outcome.problems()
                .forEach((candidate, problem) -> text.append("\n**FAILED: ")
                        .append(candidate.name())
                        .append(" ")
                        .append(problem.replace("\n", " "))
                        .append("**\n"));
    }

    private static ReportTable table(Outcome outcome) {
        List<Metric> metrics = outcome.scenario().metrics();
        List<String> header = new ArrayList<>(List.of("candidate"));
        metrics.forEach(metric -> header.add(metric.title()));
        Metric first = metrics.get(0);
        List<Ratio> ratios =
                RATIOS.stream().filter(ratio -> ratio.isShown.test(outcome)).toList();
        header.addAll(RATIOS_AT, ratios.stream().map(ratio -> "× " + ratio.to).toList());
        List<List<String>> rows = new ArrayList<>();
        for (Candidate candidate : outcome.candidates()) {
            List<String> row = new ArrayList<>(List.of(candidate.name()));
            metrics.forEach(metric -> row.add(cell(outcome.sample(candidate, metric))));
            row.addAll(
                    RATIOS_AT,
                    ratios.stream()
                            .map(ratio -> number(ratio.value.of(outcome, candidate, first)))
                            .toList());
            rows.add(row);
        }
        return new ReportTable(
                outcome.scenario().title() + ": " + outcome.setting().label(), header, rows, List.of());
    }

    private static String cell(Sample sample) {
        return sample.min() == sample.max()
                ? number(sample.median())
                : number(sample.median()) + " (" + number(sample.min()) + " to " + number(sample.max()) + ")";
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return NOTHING;
        }
        if (Double.isInfinite(value)) {
            return "∞";
        }
        if (value == Math.rint(value) || Math.abs(value) >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, Math.abs(value) < 0.1 ? "%.4f" : "%.2f", value);
    }

    static String csv(List<Outcome> outcomes) {
        StringBuilder text = new StringBuilder("scenario,topology,rtt,candidate,figure,median,min,max,"
                + RATIOS.stream().map(ratio -> "times " + ratio.to + ",").collect(Collectors.joining())
                + "options\n");
        for (Outcome outcome : outcomes) {
            for (Candidate candidate : outcome.candidates()) {
                for (Metric metric : outcome.scenario().metrics()) {
                    Sample sample = outcome.sample(candidate, metric);
                    text.append(String.join(
                            ",",
                            outcome.scenario().name(),
                            outcome.setting().topology().id(),
                            outcome.setting().network(),
                            candidate.name(),
                            '"' + metric.title() + '"'));
                    DoubleStream.concat(
                                    DoubleStream.of(sample.median(), sample.min(), sample.max()),
                                    RATIOS.stream().mapToDouble(ratio -> ratio.value.of(outcome, candidate, metric)))
                            .forEach(value -> text.append(",").append(Double.isNaN(value) ? "" : value));
                    text.append(",\"").append(candidate.effectiveOptions()).append("\"\n");
                }
            }
        }
        return text.toString();
    }
}
