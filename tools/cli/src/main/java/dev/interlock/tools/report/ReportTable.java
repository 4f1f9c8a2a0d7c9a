// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A table of a report, whatever it is written in.
 *
 * @param title its heading
 * @param header the headings of its columns, of which the first names what a row is about
 * @param rows its cells, row by row
 * @param notes what a reader must know to understand the figures
 */
public record ReportTable(String title, List<String> header, List<List<String>> rows, List<String> notes) {
    private static final Pattern UNIT = Pattern.compile("\\b(?:ms|s|B|to|never|before|below)\\b");
    private static final Pattern LETTER = Pattern.compile("\\p{L}");

    /** Returns whether a column holds figures, which are read from their last digit, and no words. */
    boolean hasFigures(int column) {
        return column > 0
                && rows.stream().map(row -> cell(row, column)).noneMatch(ReportTable::hasWords)
                && rows.stream().anyMatch(row -> cell(row, column).chars().anyMatch(Character::isDigit));
    }

    private static String cell(List<String> row, int column) {
        return column < row.size() ? row.get(column) : "";
    }

    private static boolean hasWords(String cell) {
        return LETTER.matcher(UNIT.matcher(cell).replaceAll("")).find();
    }
}
