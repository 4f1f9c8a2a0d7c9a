// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale;

import dev.interlock.tools.backends.ToolException;
import dev.interlock.tools.backends.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Rows as comma-separated values: one line for each figure. */
final class GrowthCsv {
    private static final String HEADER = "candidate,topology,primaries,load,size,lease ms,figure,value,options";

    /** Titles of figures and options may have commas, and are quoted. */
    private static final Pattern LINE =
            Pattern.compile("([^,]*),([^,]*),(\\d+),([^,]*),(\\d+),(\\d+),\"([^\"]*)\",([^,]*),\"([^\"]*)\"");

    private GrowthCsv() {}

    static String write(List<GrowthRow> rows) {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (GrowthRow row : rows) {
            for (GrowthMetric metric : new TreeSet<>(row.values().keySet())) {
                text.append(String.join(
                                ",",
                                row.candidate(),
                                row.topology().id(),
                                Integer.toString(row.primaries()),
                                row.load().id(),
                                Integer.toString(row.size()),
                                Long.toString(row.lease().toMillis()),
                                '"' + metric.title() + '"',
                                Double.toString(row.get(metric)),
                                '"' + row.options() + '"'))
                        .append('\n');
            }
        }
        return text.toString();
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws ToolException if the file cannot be read, or has another format
     */
    static List<GrowthRow> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new ToolException("cannot read " + file + ": " + e.getMessage(), e);
        }
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new ToolException(file + " is not a scale.csv: it does not begin with " + HEADER);
        }
        Map<GrowthRow, Map<GrowthMetric, Double>> rows = new LinkedHashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            Matcher cells = LINE.matcher(line);
            if (!cells.matches()) {
                throw new ToolException(file + " has a line that cannot be read: " + line);
            }
            rows.computeIfAbsent(keyOf(cells), key -> new EnumMap<>(GrowthMetric.class))
                    .put(
                            named(cells.group(7), GrowthMetric.values(), GrowthMetric::title),
                            Double.parseDouble(cells.group(8)));
        }
        List<GrowthRow> read = new ArrayList<>();
        rows.forEach((key, values) -> read.add(key.with(values)));
        return read;
    }

    private static GrowthRow keyOf(Matcher cells) {
        return new GrowthRow(
                cells.group(1),
                cells.group(9),
                named(cells.group(2), Topology.values(), Topology::id),
                Integer.parseInt(cells.group(3)),
                named(cells.group(4), GrowthLoad.values(), GrowthLoad::id),
                Integer.parseInt(cells.group(5)),
                Duration.ofMillis(Long.parseLong(cells.group(6))),
                Map.of());
    }

    private static <T> T named(String name, T[] all, Function<T, String> nameOf) {
        return Arrays.stream(all)
                .filter(each -> nameOf.apply(each).equals(name))
                .findFirst()
                .orElseThrow(() -> new ToolException("there is no \"" + name + "\"; there are "
                        + Arrays.stream(all).map(nameOf).collect(Collectors.joining(", "))));
    }
}
