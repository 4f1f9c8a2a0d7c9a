// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.backends.Topology;
import dev.interlock.tools.report.MarkdownRenderer;
import dev.interlock.tools.report.ReportTable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Writes the figures and the predictions of the model: as Markdown for people, and as comma-separated values.
 */
final class ScaleReport {
    private static final String NOTHING = "-";
    private static final Map<String, Integer> CLUSTERS = new LinkedHashMap<>();

    static {
        CLUSTERS.put("6 nodes (3 primaries)", 3);
        CLUSTERS.put("100 nodes (50 primaries)", 50);
    }

    private final List<GrowthRow> rows;
    private final List<String> problems;

    ScaleReport(List<GrowthRow> rows, List<String> problems) {
        this.rows = rows;
        this.problems = problems;
    }

    String markdown() {
        StringBuilder text = new StringBuilder("# Interlock: growth\n\n");
        text.append(Instant.now().truncatedTo(ChronoUnit.SECONDS))
                .append("; ")
                .append(Machine.here().description())
                .append("\n");
        problems.forEach(
                problem -> text.append("\n**NOT MEASURED: ").append(problem).append("**\n"));
        if (!rows.isEmpty()) {
            MarkdownRenderer.table(text, options());
        }
        for (GrowthLoad load : GrowthLoad.values()) {
            List<GrowthRow> ofLoad =
                    rows.stream().filter(row -> row.load() == load).toList();
            if (!ofLoad.isEmpty()) {
                MarkdownRenderer.table(text, measured(load, ofLoad));
            }
        }
        List<UnitCosts> costs = byServers().values().stream().map(UnitCosts::of).toList();
        if (!costs.isEmpty()) {
            MarkdownRenderer.table(text, predictions());
            costs.forEach(each -> MarkdownRenderer.table(text, capacities(each)));
        }
        return text.toString();
    }

    private ReportTable options() {
        return new ReportTable(
                "Options, those that have their defaults too",
                List.of("candidate", "options"),
                rows.stream()
                        .map(row -> List.of(row.candidate(), row.options().isEmpty() ? NOTHING : row.options()))
                        .distinct()
                        .toList(),
                List.of());
    }

    /** Groups the rows by candidate with its options and topology. Each group has unit costs of its own. */
    private Map<List<Object>, List<GrowthRow>> byServers() {
        return rows.stream()
                .collect(Collectors.groupingBy(
                        row -> List.of(row.candidate(), row.options(), row.topology()),
                        LinkedHashMap::new,
                        Collectors.toList()));
    }

    private static ReportTable measured(GrowthLoad load, List<GrowthRow> ofLoad) {
        Set<GrowthMetric> metrics = new TreeSet<>();
        ofLoad.forEach(row -> metrics.addAll(row.values().keySet()));
        List<String> header = new ArrayList<>(List.of("candidate", "servers", "size", "lease s"));
        metrics.forEach(metric -> header.add(metric.title()));
        List<List<String>> cells = new ArrayList<>();
        for (GrowthRow row : ofLoad) {
            List<String> line = start(row);
            metrics.forEach(metric -> line.add(number(row.get(metric))));
            cells.add(line);
        }
        return new ReportTable(load.title(), header, cells, List.of());
    }

    private static List<String> start(GrowthRow row) {
        return new ArrayList<>(List.of(
                row.candidate(),
                servers(row.topology(), row.primaries()),
                number(row.size()),
                number(row.lease().toMillis() / 1e3)));
    }

    private static String servers(Topology topology, int primaries) {
        return topology == Topology.CLUSTER ? "cluster of " + primaries + " primaries" : Integer.toString(primaries);
    }

    private ReportTable predictions() {
        List<List<String>> cells = new ArrayList<>();
        byServers().values().forEach(group -> {
            CapacityModel model = new CapacityModel(UnitCosts.of(group));
            for (GrowthRow row : group) {
                for (CapacityModel.Prediction prediction : model.predictions(row)) {
                    List<String> line = start(row);
                    line.add(1, row.load().id());
                    line.add(prediction.metric().title());
                    line.add(number(prediction.predicted()));
                    line.add(number(prediction.measured()));
                    line.add(
                            Double.isFinite(prediction.error())
                                    ? String.format(Locale.ROOT, "%+.0f %%", prediction.error() * 100)
                                    : NOTHING);
                    cells.add(line);
                }
            }
        });
        return new ReportTable(
                "The model against what was measured",
                List.of("candidate", "load", "servers", "size", "lease s", "figure", "model", "measured", "error"),
                cells,
                List.of());
    }

    private ReportTable capacities(UnitCosts costs) {
        Map<String, Integer> sizes = costs.topology() == Topology.CLUSTER
                ? CLUSTERS
                : Map.of(costs.primaries() == 1 ? "1 server" : costs.primaries() + " servers", costs.primaries());
        CapacityModel model = new CapacityModel(costs);
        Duration lease = costs.lease();
        List<List<String>> cells = new ArrayList<>();
        sizes.forEach((name, primaries) -> model.capacities(primaries, lease, ServerLimits.USUAL)
                .forEach(capacity ->
                        cells.add(List.of(capacity.load(), name, rounded(capacity.amount()), capacity.limit()))));
        return new ReportTable(
                "What servers carry: " + costs.candidate() + ", "
                        + costs.topology().id(),
                List.of("load, and nothing else", "servers", "at most", "what ends first"),
                cells,
                List.of());
    }

    String csv() {
        return GrowthCsv.write(rows);
    }

    /** Rounds to two digits, since the model is not more exact. */
    private static String rounded(double value) {
        double unit = Math.pow(10, Math.floor(Math.log10(value)) - 1);
        return String.format(Locale.ROOT, "%,.0f", Math.floor(value / unit) * unit);
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return NOTHING;
        }
        if (value == Math.rint(value) || Math.abs(value) >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, Math.abs(value) < 0.1 ? "%.4f" : "%.2f", value);
    }
}
