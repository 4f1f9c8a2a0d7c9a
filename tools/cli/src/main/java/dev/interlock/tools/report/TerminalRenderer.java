// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.backends.TextTable;
import java.util.List;

/** Writes a report for a terminal of {@value TextTable#WIDTH} columns. */
public final class TerminalRenderer {
    private TerminalRenderer() {}

    public static String render(Report report, List<ReportTable> tables) {
        StringBuilder text = new StringBuilder();
        text.append(Headlines.TITLE).append("\n");
        wrap(text, Headlines.setting(report));
        ReportTable recommendations = ReportTables.recommendations(report);
        if (!recommendations.rows().isEmpty()) {
            text.append("\n").append(recommendations.title()).append("\n");
            text.append(TextTable.texts(
                    List.of("To", "Take"),
                    recommendations.rows().stream()
                            .map(row -> List.of(row.get(0), row.get(1) + ": " + row.get(2)))
                            .toList()));
            recommendations.notes().forEach(note -> wrap(text, note));
        }
        tables.forEach(table -> table(text, table));
        text.append("\n");
        report.omitted().forEach(omitted -> wrap(text, omitted));
        wrap(text, Headlines.CAVEAT);
        Headlines.problems(report).forEach(problem -> wrap(text, problem));
        return text.toString();
    }

    /** Adds a table with its notes, unless it is empty. */
    static void table(StringBuilder text, ReportTable table) {
        if (!table.rows().isEmpty()) {
            text.append("\n").append(table.title()).append("\n");
            text.append(TextTable.figuresInParts(table.header(), table.rows()));
            table.notes().forEach(note -> wrap(text, note));
        }
    }

    /** Adds a sentence in as many lines as it takes. */
    static void wrap(StringBuilder text, String sentence) {
        for (String paragraph : sentence.lines().toList()) {
            int column = 0;
            for (String word : paragraph.split(" ", -1)) {
                if (column > 0 && column + 1 + word.length() > TextTable.WIDTH) {
                    text.append("\n");
                    column = 0;
                }
                if (column > 0) {
                    text.append(" ");
                    column++;
                }
                text.append(word);
                column += word.length();
            }
            text.append("\n");
        }
    }
}
