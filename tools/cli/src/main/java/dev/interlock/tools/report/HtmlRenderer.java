// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.spi.Assumption;
import dev.interlock.tools.backends.Version;
import dev.interlock.tools.conformance.ContractSentences;
import dev.interlock.tools.lab.CellVerdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes a report as one page that needs nothing else: its data, styles and scripts are in it. */
public final class HtmlRenderer {
    private static final String CHARTS =
            "/META-INF/resources/webjars/chart.js/" + Version.OF_CHARTS + "/dist/chart.umd.min.js";

    private HtmlRenderer() {}

    public static String render(Report report) {
        // Later texts may hold what stands for an earlier one.
        return resource("report.html")
                .replace("/*SCRIPT*/", resource("report.js"))
                .replace("/*STYLE*/", resource("report.css"))
                .replace("/*CHARTS*/", resource(CHARTS))
                .replace("/*DATA*/", data(report));
    }

    /** The report, and what the page shows beside it, as JSON that can stand in a page. */
    private static String data(Report report) {
        Gson gson = new Gson();
        JsonObject data = gson.toJsonTree(report).getAsJsonObject();
        data.addProperty("title", Headlines.TITLE);
        data.addProperty("setting", Headlines.setting(report));
        data.addProperty("caveat", Headlines.CAVEAT);
        data.add("problems", gson.toJsonTree(Headlines.problems(report)));
        data.add(
                "words",
                gson.toJsonTree(Arrays.stream(CellVerdict.values())
                        .collect(Collectors.toMap(CellVerdict::word, CellVerdict::meaning))));
        data.add(
                "assumptionSummaries",
                gson.toJsonTree(Arrays.stream(Assumption.values())
                        .collect(Collectors.toMap(Assumption::name, Assumption::summary))));
        data.add("guide", gson.toJsonTree(DecisionGuide.parse(resource("decide.md"))));
        data.add("sentences", gson.toJsonTree(sentences(report)));
        data.add(
                "chapters",
                gson.toJsonTree(Arrays.stream(Chapter.values())
                        // Sorted, since the order of Map.of is another one in each JVM, and the page is kept.
                        .map(chapter -> new TreeMap<>(Map.of("number", chapter.number(), "title", chapter.title())))
                        .toList()));
        data.add("peers", table(ReportTables.peers(report)));
        List<ReportTable> tables = new ArrayList<>(ReportTables.measured(report));
        if (report.faults() != null) {
            tables.add(FaultTables.recovery(report.faults()));
        }
        data.add("profiles", table(ReportTables.profiles(report)));
        JsonArray shown = new JsonArray();
        tables.stream().filter(table -> !table.rows().isEmpty()).forEach(table -> shown.add(table(table)));
        data.add("tables", shown);
        return gson.toJson(data);
    }

    private static JsonObject table(ReportTable table) {
        Gson gson = new Gson();
        JsonObject json = gson.toJsonTree(table).getAsJsonObject();
        json.add(
                "figures",
                gson.toJsonTree(IntStream.range(0, table.header().size())
                        .mapToObj(table::hasFigures)
                        .toList()));
        return json;
    }

    /** The words of the contract for the rules that were asked, by their numbers. */
    private static Map<String, String> sentences(Report report) {
        Map<String, String> all = ContractSentences.parse(resource("contract.md"));
        Map<String, String> asked = new TreeMap<>();
        report.strategies().stream()
                .map(StrategyReport::conformance)
                .filter(Objects::nonNull)
                .flatMap(conformance -> conformance.rules().stream())
                .filter(rule -> all.containsKey(rule.id()))
                .forEach(rule -> asked.put(rule.id(), all.get(rule.id())));
        return asked;
    }

    private static String resource(String name) {
        try (InputStream in = HtmlRenderer.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
