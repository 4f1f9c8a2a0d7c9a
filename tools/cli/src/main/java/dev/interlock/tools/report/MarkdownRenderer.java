// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.List;
import java.util.stream.Collectors;

/** Writes a report in Markdown. */
public final class MarkdownRenderer {
    private static final int WIDTH = 120;

    private MarkdownRenderer() {}

    public static String render(Report report, List<ReportTable> tables) {
        StringBuilder text = new StringBuilder();
        text.append("# ").append(Headlines.TITLE).append("\n\n");
        text.append(wrapped(Headlines.setting(report))).append("\n\n");
        text.append("Made by `").append(report.command()).append("`.\n");
        table(text, ReportTables.recommendations(report));
        tables.forEach(table -> table(text, table));
        report.omitted()
                .forEach(omitted -> text.append("\n").append(wrapped(omitted)).append("\n"));
        text.append("\n").append(wrapped(Headlines.CAVEAT)).append("\n");
        Headlines.problems(report)
                .forEach(problem ->
                        text.append("\n**").append(problem.replace("\n", " ")).append("**\n"));
        return text.toString();
    }

    /**
     * Adds a table with its heading and notes, unless it is empty.
     *
     * @param text the document to append to
     * @param table the table
     */
    public static void table(StringBuilder text, ReportTable table) {
        if (!table.rows().isEmpty()) {
            text.append("\n## ").append(table.title()).append("\n\n");
            row(text, table.header());
            for (int column = 0; column < table.header().size(); column++) {
                text.append(table.hasFigures(column) ? "|---:" : "|---");
            }
            text.append("|\n");
            table.rows().forEach(row -> row(text, row));
            table.notes()
                    .forEach(note -> text.append("\n").append(wrapped(note)).append("\n"));
        }
    }

    /** Returns a paragraph in lines of at most {@link #WIDTH} characters, as far as its words allow. */
    static String wrapped(String paragraph) {
        StringBuilder text = new StringBuilder();
        int width = 0;
        for (String word : paragraph.split(" ", -1)) {
            boolean isNewLine = width > 0 && width + 1 + word.length() > WIDTH;
            text.append(width == 0 ? "" : isNewLine ? "\n" : " ").append(word);
            width = isNewLine || width == 0 ? word.length() : width + 1 + word.length();
        }
        return text.toString();
    }

    private static void row(StringBuilder text, List<String> cells) {
        text.append(
                cells.stream().map(cell -> cell.replace("|", "\\|")).collect(Collectors.joining(" | ", "| ", " |\n")));
    }
}
