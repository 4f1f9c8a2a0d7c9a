// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.cli;

import dev.interlock.tools.report.Colours;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** The options by which the user says how a report is printed. */
final class Output {
    @Option(names = "--json", description = "print the report as JSON, with all evidence, instead of tables")
    private boolean json;

    @Option(names = "--no-color", description = "no colours, as with the environment variable NO_COLOR")
    private boolean noColor;

    /** Returns whether the user wants JSON. */
    boolean isJson() {
        return json;
    }

    /** Prints a report in the form that the user wants. */
    void print(PrintWriter out, Supplier<String> asJson, Supplier<String> asText) {
        if (json) {
            out.print(asJson.get());
        } else {
            String text = asText.get();
            boolean colours = Colours.areWanted(noColor, System.getProperty(Colours.PROPERTY), System.getenv());
            out.print(colours ? Colours.paint(text) : text);
        }
        out.flush();
    }
}
