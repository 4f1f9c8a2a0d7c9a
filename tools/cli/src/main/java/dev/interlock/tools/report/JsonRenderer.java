// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import dev.interlock.tools.conformance.ConformanceReport;
import dev.interlock.tools.lab.FaultReport;

/**
 * Writes a report in JSON, the form that programs read: the fields of {@link Report} or {@link ConformanceReport},
 * without those that are missing.
 */
public final class JsonRenderer {
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private JsonRenderer() {}

    /** Writes the findings of the fault lab, which stand in a comparison's report too. */
    public static String render(FaultReport report) {
        return render(FaultReport.KIND, FaultReport.SCHEMA_VERSION, report);
    }

    public static String render(ConformanceReport report) {
        return render(ConformanceReport.KIND, ConformanceReport.SCHEMA_VERSION, report);
    }

    private static String render(String kind, int schemaVersion, Record report) {
        JsonObject json = new JsonObject();
        json.addProperty("kind", kind);
        json.addProperty("schemaVersion", schemaVersion);
        GSON.toJsonTree(report)
                .getAsJsonObject()
                .entrySet()
                .forEach(field -> json.add(field.getKey(), field.getValue()));
        return GSON.toJson(json) + "\n";
    }

    public static String render(Report report) {
        return GSON.toJson(report) + "\n";
    }
}
