// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.List;
import java.util.stream.Collectors;

/** Writes a report in Markdown. */
public final class MarkdownRenderer {
    private MarkdownRenderer() {}

    public static String render(Report report, List<ReportTable> tables) {
        StringBuilder text = new StringBuilder();
        text.append("# ").append(Headlines.TITLE).append("\n\n");
        text.append(Headlines.setting(report)).append("\n\n");
        text.append("Made by `").append(report.command()).append("`.\n");
        table(text, ReportTables.recommendations(report));
        tables.forEach(table -> table(text, table));
        report.omitted().forEach(omitted -> text.append("\n").append(omitted).append("\n"));
        text.append("\n").append(Headlines.CAVEAT).append("\n");
        Headlines.problems(report)
                .forEach(problem ->
                        text.append("\n**").append(problem.replace("\n", " ")).append("**\n"));
        return text.toString();
    }

    /**
     * Adds a table with its heading and notes, unless it is empty.
     *
     * @param text what to add it to
     * @param table the table
     */
    public static void table(StringBuilder text, ReportTable table) {
        if (!table.rows().isEmpty()) {
            text.append("\n## ").append(table.title()).append("\n\n");
            row(text, table.header());
            text.append("|---")
                    .append("|---:".repeat(table.header().size() - 1))
                    .append("|\n");
            table.rows().forEach(row -> row(text, row));
            table.notes().forEach(note -> text.append("\n").append(note).append("\n"));
        }
    }

    private static void row(StringBuilder text, List<String> cells) {
        text.append(
                cells.stream().map(cell -> cell.replace("|", "\\|")).collect(Collectors.joining(" | ", "| ", " |\n")));
    }
}
