// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.json.JsonParserFactory;

/** The properties that programs may set: those that metadata describes, and those of JUnit that our tests set. */
final class KnownProperties {
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final String FACTORY = "interlock\\.factories\\.[^.]+\\.";
    private static final String OPTIONS = "interlock.option.";

    private KnownProperties() {}

    static Set<String> read() throws IOException {
        Set<String> names = new TreeSet<>();
        for (URL url : Collections.list(KnownProperties.class.getClassLoader().getResources(METADATA))) {
            try (InputStream in = url.openStream()) {
                addTo(
                        names,
                        JsonParserFactory.getJsonParser()
                                .parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
            }
        }
        Properties junit = new Properties();
        Path file = BuildFiles.ROOT.resolve("conformance-tests/src/test/resources/junit-platform.properties");
        try (InputStream in = Files.newInputStream(file)) {
            junit.load(in);
        }
        names.addAll(junit.stringPropertyNames());
        return names;
    }

    /** Adds the names of properties, and the names of options, which are keys of a map. */
    private static void addTo(Set<String> names, Map<String, Object> metadata) {
        for (Map<?, ?> property : maps(metadata, "properties")) {
            names.add((String) property.get("name"));
        }
        for (Map<?, ?> hint : maps(metadata, "hints")) {
            if (hint.get("name").equals("interlock.option.keys")) {
                for (Map<?, ?> value : maps(hint, "values")) {
                    names.add(OPTIONS + value.get("value"));
                }
            }
        }
    }

    private static List<Map<?, ?>> maps(Map<?, ?> json, String name) {
        return json.get(name) instanceof List<?> list
                ? list.stream().<Map<?, ?>>map(entry -> (Map<?, ?>) entry).toList()
                : List.of();
    }

    /** A factory of a name has the properties of the one without a name. */
    static boolean isKnown(String key, Set<String> known) {
        return known.contains(key.replaceFirst(FACTORY, "interlock."));
    }
}
