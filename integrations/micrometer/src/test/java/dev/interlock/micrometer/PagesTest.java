// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.micrometer.servers.ServerMetrics;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page on metrics and the dashboard list exactly the meters and observations that exist. */
class PagesTest {
    private static final Path DOCS = Path.of("..", "..", "docs");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(interlock_\\w+)(\\{([^}]*)})? ");
    private static final Pattern METRIC = Pattern.compile("interlock_\\w+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=");
    private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");
    private static final Pattern VALUES = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

    /** The labels that Prometheus adds to all metrics. */
    private static final Set<String> OF_PROMETHEUS = Set.of("instance");

    /** The rows of the tables of the page whose first cell is a name of ours. */
    private static List<List<String>> rows() throws IOException {
        return Files.readAllLines(DOCS.resolve("metrics.md")).stream()
                .filter(line -> line.startsWith("| `interlock."))
                .map(line -> Arrays.stream(line.split("\\|"))
                        .map(String::strip)
                        .skip(1)
                        .toList())
                .toList();
    }

    private static Set<String> code(String cell) {
        return CODE.matcher(cell)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void oneEvent(LockMetrics metrics) {
        new Events(metrics).requested("invoice:1");
    }

    /** Metrics of a factory over three servers, none of which need be there. */
    private static ServerMetrics serverMetrics() {
        LockConfig config = LockConfig.of("redis://a.invalid,redis://b.invalid,redis://c.invalid");
        return ServerMetrics.of(DistributedLocks.getInstance("redlock", config), Tags.empty());
    }

    @Test
    void thePageListsTheMetersWithTheirKindsAndTags() throws IOException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        LockMetrics metrics = LockMetrics.builder().build();
        metrics.bindTo(registry);
        oneEvent(metrics);
        serverMetrics().bindTo(registry);
        Map<String, String> meters = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            meters.put(
                    meter.getId().getName(),
                    meter.getId().getType().name().toLowerCase(Locale.ROOT) + " "
                            + meter.getId().getTags().stream()
                                    .map(Tag::getKey)
                                    .collect(Collectors.toCollection(TreeSet::new)));
        }
        Map<String, String> listed = new TreeMap<>();
        for (List<String> row : rows()) {
            if (row.size() == 5 && !row.get(1).startsWith("the ")) {
                listed.put(code(row.get(0)).iterator().next(), row.get(1) + " " + code(row.get(3)));
            }
        }
        assertThat(listed).isEqualTo(meters);
    }

    @Test
    void thePageListsTheObservationsWithTheirKeys() throws IOException {
        Map<String, String> listed = new TreeMap<>();
        for (List<String> row : rows()) {
            if (row.get(1).startsWith("the ")) {
                listed.put(code(row.get(0)).iterator().next(), code(row.get(3)) + " " + code(row.get(4)));
            }
        }
        assertThat(listed)
                .isEqualTo(Map.of(
                        "interlock.acquisition", keys(LockObservation.ACQUISITION),
                        "interlock.hold", keys(LockObservation.HOLD)));
    }

    private static String keys(LockObservation observation) {
        return names(observation.getLowCardinalityKeyNames()) + " " + names(observation.getHighCardinalityKeyNames());
    }

    private static Set<String> names(KeyName[] keys) {
        return Arrays.stream(keys).map(KeyName::asString).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theDashboardAsksForMetricsAndLabelsThatPrometheusHasAndForAllOfThem() throws IOException {
        Map<String, Set<String>> exposed = exposed();
        JsonObject dashboard = JsonParser.parseString(
                        Files.readString(DOCS.resolve("dashboards/interlock-dashboard.json")))
                .getAsJsonObject();
        Set<String> asked = new HashSet<>();
        for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
            for (JsonElement target : panel.getAsJsonObject().getAsJsonArray("targets")) {
                String expression = target.getAsJsonObject().get("expr").getAsString();
                String legend = target.getAsJsonObject().get("legendFormat").getAsString();
                Set<String> metrics = found(METRIC, expression);
                assertThat(exposed.keySet()).as(expression).containsAll(metrics);
                Set<String> labels = found(LABEL, expression);
                BY.matcher(expression)
                        .results()
                        .forEach(by -> labels.addAll(List.of(by.group(1).split(", "))));
                for (String metric : metrics) {
                    assertThat(exposed.get(metric)).as(expression).containsAll(labels);
                }
                assertThat(labels).as(expression + " as " + legend).containsAll(found(LEGEND, legend));
                asked.addAll(metrics);
            }
        }
        for (JsonElement variable : dashboard.getAsJsonObject("templating").getAsJsonArray("list")) {
            Matcher query =
                    VALUES.matcher(variable.getAsJsonObject().get("query").getAsString());
            if (query.matches()) {
                assertThat(exposed.get(query.group(1))).contains(query.group(2));
            }
        }
        assertThat(asked).as("each metric is on a panel").containsExactlyInAnyOrderElementsOf(exposed.keySet());
    }

    /** The metrics that Prometheus is shown, with their labels. */
    private static Map<String, Set<String>> exposed() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        LockMetrics metrics = LockMetrics.builder().build();
        metrics.bindTo(registry);
        oneEvent(metrics);
        serverMetrics().bindTo(registry);
        Map<String, Set<String>> exposed = new TreeMap<>();
        Matcher samples = SAMPLE.matcher(registry.scrape());
        while (samples.find()) {
            Set<String> labels = exposed.computeIfAbsent(samples.group(1), name -> new TreeSet<>(OF_PROMETHEUS));
            if (samples.group(3) != null) {
                labels.addAll(found(LABEL, samples.group(3)));
            }
        }
        return exposed;
    }

    private static Set<String> found(Pattern pattern, String text) {
        Collection<String> found = pattern.matcher(text)
                .results()
                .map(result -> result.group(result.groupCount()))
                .toList();
        return new TreeSet<>(found);
    }
}
