// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.backends;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.github.freva.asciitable.OverflowBehaviour;
import java.util.List;

/** Draws tables with letters. */
public final class TextTable {
    public static final int WIDTH = 100;

    private TextTable() {}

    /** Draws a table whose first column is for labels and whose others are for figures. */
    public static String figures(List<String> header, List<List<String>> rows) {
        int others = 0;
        for (int i = 1; i < header.size(); i++) {
            int widest = header.get(i).length();
            for (List<String> row : rows) {
                widest = Math.max(widest, row.get(i).length());
            }
            others += widest + "|  ".length();
        }
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
