// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import dev.interlock.tools.backends.Machine;
import dev.interlock.tools.backends.Version;
import dev.interlock.tools.lab.FaultReport;

/** Writes a report of the fault lab for a terminal, or in Markdown. */
public final class FaultText {
    private static final String TITLE = "Interlock: what happens when things go wrong";

    private FaultText() {}

    public static String render(FaultReport report) {
        StringBuilder text = new StringBuilder();
        text.append(TITLE).append("\n");
        TerminalRenderer.wrap(text, setting(report));
        FaultTables.of(report).forEach(table -> TerminalRenderer.table(text, table));
        if (!report.problems().isEmpty()) {
            text.append("\n");
            report.problems().forEach(problem -> TerminalRenderer.wrap(text, problem));
        }
        return text.toString();
    }

    public static String markdown(FaultReport report) {
        StringBuilder text = new StringBuilder();
        text.append("# ").append(TITLE).append("\n\n").append(setting(report)).append("\n");
        FaultTables.of(report).forEach(table -> MarkdownRenderer.table(text, table));
        report.problems()
                .forEach(problem ->
                        text.append("\n**").append(problem.replace("\n", " ")).append("**\n"));
        return text.toString();
    }

    private static String setting(FaultReport report) {
        return "Interlock " + Version.OF_INTERLOCK + "; Redis " + report.redisVersion() + "; lease "
                + FaultTables.seconds(report.leaseMillis()) + ", seed " + report.seed() + "; "
                + Machine.here().description();
    }
}
