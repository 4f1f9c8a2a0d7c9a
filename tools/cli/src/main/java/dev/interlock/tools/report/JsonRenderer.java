// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.interlock.tools.conformance.ConformanceReport;

/** Writes a report in JSON, the form that programs read: the fields of {@link Report} or {@link ConformanceReport}, without those that are missing. */
public final class JsonRenderer {
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private JsonRenderer() {}

    public static String render(Record report) {
        return GSON.toJson(report) + "\n";
    }
}
