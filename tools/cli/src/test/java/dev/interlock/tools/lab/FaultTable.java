// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The table of what each strategy does under each fault, as it is kept in the repository: a line for each cell. */
final class FaultTable {
    private static final String HEADER = "# strategy\tfault\tverdict\tdeclared\tleg\twhy not deep";

    private final Map<String, Line> lines = new LinkedHashMap<>();

    /** When a cell is played. */
    enum Leg {
        /** In each build: one cell of each kind. */
        FAST,
        /** In each run of CI: cells whose verdict was the same in at least three runs. */
        DEEP,
        /** Where there is time. */
        NIGHTLY;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A cell.
     *
     * @param strategy the label of the strategy
     * @param fault the name of the fault
     * @param verdict what the evidence comes to
     * @param declared how that is declared
     * @param leg when it is played
     * @param reason why it is not played in each run of CI; empty if it is
     */
    record Line(String strategy, String fault, String verdict, String declared, Leg leg, String reason) {
        private static Line parse(String text) {
            String[] fields = text.split("\t", -1);
            if (fields.length != 6) {
                throw new IllegalArgumentException("\"" + text + "\" has not six fields with tabs between");
            }
            return new Line(
                    fields[0],
                    fields[1],
                    fields[2],
                    fields[3],
                    Leg.valueOf(fields[4].toUpperCase(Locale.ROOT)),
                    fields[5]);
        }

        String key() {
            return strategy + ": " + fault;
        }

        /** What was found, in words that can be compared. */
        String finding() {
            return verdict + ", " + declared;
        }

        private String format() {
            return String.join("\t", strategy, fault, verdict, declared, leg.word(), reason);
        }
    }

    static FaultTable read(Path file) {
        FaultTable table = new FaultTable();
        try {
            Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Line::parse)
                    .forEach(table::put);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
        return table;
    }

    void put(Line line) {
        lines.put(line.key(), line);
    }

    Optional<Line> find(String key) {
        return Optional.ofNullable(lines.get(key));
    }

    List<Line> lines() {
        return List.copyOf(lines.values());
    }

    /** Writes the lines with given keys, in their order. */
    void write(Path file, List<String> keys) {
        String text = keys.stream()
                .map(lines::get)
                .map(line -> line.format() + "\n")
                .collect(Collectors.joining("", HEADER + "\n", ""));
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
