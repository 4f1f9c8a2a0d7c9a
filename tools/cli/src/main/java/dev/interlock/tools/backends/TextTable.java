// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.OverflowBehaviour;
import java.util.ArrayList;
import java.util.List;

/** Draws tables as text. */
public final class TextTable {
    public static final int WIDTH = 100;

    /** The greatest width of the label column where a table has to be drawn in parts. */
    private static final int LABELS = 36;

    private TextTable() {}

    /**
     * Draws a table of figures as several, one below the other, where it is too wide: each with the labels and some
     * columns.
     */
    public static String figuresInParts(List<String> header, List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        int from = 1;
        while (from < header.size()) {
            int to = from;
            int width = 0;
            do {
                width += width(header, rows, to);
                to++;
            } while (to < header.size() && width + width(header, rows, to) <= WIDTH - labels(header, rows));
            if (width(header, rows, from, header.size()) <= WIDTH - labels(header, rows)) {
                to = header.size();
            }
            int first = from;
            int end = to;
            text.append(figures(
                    part(header, first, end),
                    rows.stream().map(row -> part(row, first, end)).toList()));
            from = to;
        }
        return text.toString();
    }

    /** Returns the width of the label column: what the labels need, up to a limit. */
    private static int labels(List<String> header, List<List<String>> rows) {
        return Math.min(LABELS, width(header, rows, 0) + 1);
    }

    private static List<String> part(List<String> row, int from, int to) {
        List<String> part = new ArrayList<>(List.of(row.get(0)));
        part.addAll(row.subList(from, to));
        return part;
    }

    private static int width(List<String> header, List<List<String>> rows, int from, int to) {
        int sum = 0;
        for (int column = from; column < to; column++) {
            sum += width(header, rows, column);
        }
        return sum;
    }

    private static int width(List<String> header, List<List<String>> rows, int column) {
        int widest = header.get(column).length();
        for (List<String> row : rows) {
            widest = Math.max(widest, row.get(column).length());
        }
        return widest + "|  ".length();
    }

    /** Draws a table whose first column is for labels and whose others are for figures. */
    public static String figures(List<String> header, List<List<String>> rows) {
        int others = width(header, rows, 1, header.size());
        int labelWidth = Math.max("Strategy".length() + 2, WIDTH - others - "||".length());
        Column[] columns = new Column[header.size()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = i == 0
                    ? column(header.get(i), HorizontalAlign.LEFT).maxWidth(labelWidth, OverflowBehaviour.NEWLINE)
                    : column(header.get(i), HorizontalAlign.RIGHT).maxWidth(WIDTH);
        }
        return draw(columns, rows);
    }

    /** Draws a table of two columns, the second of which is for text of any length. */
    public static String texts(List<String> header, List<List<String>> rows) {
        int widest = header.get(0).length();
        for (List<String> row : rows) {
            widest = Math.max(widest, row.get(0).length());
        }
        Column[] columns = {
            column(header.get(0), HorizontalAlign.LEFT).maxWidth(WIDTH),
            column(header.get(1), HorizontalAlign.LEFT)
                    .maxWidth(WIDTH - widest - "|  |".length() - "|".length(), OverflowBehaviour.NEWLINE)
        };
        return draw(columns, rows);
    }

    private static Column column(String header, HorizontalAlign align) {
        return new Column().header(header).headerAlign(align).dataAlign(align);
    }

    private static String draw(Column[] columns, List<List<String>> rows) {
        Object[][] data = rows.stream().map(List::toArray).toArray(Object[][]::new);
        return AsciiTable.builder()
                        .lineSeparator("\n")
                        .border(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS)
                        .data(columns, data)
                        .asString()
                + "\n";
    }
}
