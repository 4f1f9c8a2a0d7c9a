// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** The schema that is published for what the tools write as JSON. */
public final class PublishedSchema {
    private static final Path SCHEMA = Path.of("../../docs/report.schema.json");

    private PublishedSchema() {}

    /** The problems of a document, where fields that the schema does not describe are problems too. */
    public static Set<ValidationMessage> problems(String json) {
        JsonElement schema;
        try {
            schema = JsonParser.parseString(Files.readString(SCHEMA));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        close(schema);
        JsonSchema strict = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema.toString());
        return strict.validate(json, InputFormat.JSON);
    }

    /** Allows no other fields than those that are described. */
    private static void close(JsonElement element) {
        if (element.isJsonArray()) {
            element.getAsJsonArray().forEach(PublishedSchema::close);
        } else if (element.isJsonObject()) {
            JsonObject object = element.getAsJsonObject();
            object.entrySet().forEach(field -> close(field.getValue()));
            if (object.has("properties") && object.has("description") && !object.has("$defs")) {
                object.addProperty("additionalProperties", false);
            }
        }
    }
}
