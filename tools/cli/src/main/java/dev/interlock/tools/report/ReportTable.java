// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.List;

/**
 * A table of a report, whatever it is written in.
 *
 * @param title its heading
 * @param header the headings of its columns, of which the first names what a row is about
 * @param rows its cells, row by row
 * @param notes what a reader must know to understand the figures
 */
public record ReportTable(String title, List<String> header, List<List<String>> rows, List<String> notes) {}
