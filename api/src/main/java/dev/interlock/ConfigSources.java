// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.internal.Durations;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a {@link LockConfig} from a properties file, system properties and the environment. */
final class ConfigSources {
    private static final String RESOURCE = "interlock.properties";
    private static final String PREFIX = "interlock.";
    private static final String OPTION = PREFIX + "option.";
    private static final String ENVIRONMENT = "INTERLOCK_";

    /** The effect of each setting on the two builders. */
    private static final Map<String, Setting> SETTINGS = new LinkedHashMap<>();

    private interface Setting {
        void apply(LockConfig.Builder config, LockOptions.Builder locks, String value);
    }

    static {
        SETTINGS.put("strategy", (config, locks, value) -> config.strategy(value));
        SETTINGS.put("endpoints", (config, locks, value) -> config.endpoints(value));
        SETTINGS.put("key-prefix", (config, locks, value) -> config.keyPrefix(value));
        SETTINGS.put("command-timeout", (config, locks, value) -> config.commandTimeout(Durations.parse(value)));
        SETTINGS.put("wait-ceiling", (config, locks, value) -> config.waitCeiling(Durations.parse(value)));
        SETTINGS.put("local-handoffs", (config, locks, value) -> config.localHandoffs(integer(value)));
        SETTINGS.put("lease", (config, locks, value) -> locks.lease(Durations.parse(value)));
        SETTINGS.put("renewal", (config, locks, value) -> locks.renewal(bool(value)));
        SETTINGS.put("max-hold", (config, locks, value) -> locks.maxHold(Durations.parse(value)));
        SETTINGS.put("interrupt-on-loss", (config, locks, value) -> locks.interruptOnLoss(bool(value)));
    }

    private final @Nullable URL file;
    private final Properties systemProperties;
    private final Map<String, String> environment;

    ConfigSources(@Nullable URL file, Properties systemProperties, Map<String, String> environment) {
        this.file = file;
        this.systemProperties = systemProperties;
        this.environment = environment;
    }

    static ConfigSources ofThisProcess() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader loader = context != null ? context : ConfigSources.class.getClassLoader();
        return new ConfigSources(loader.getResource(RESOURCE), System.getProperties(), System.getenv());
    }

    LockConfig read() {
        Map<String, Found> winners = winners();
        LockConfig.Builder config = LockConfig.builder();
        LockOptions.Builder locks = LockOptions.builder();
        winners.forEach((key, found) -> at(found.where(), () -> {
            Setting setting = SETTINGS.get(key);
            if (setting == null) {
                config.option(found.name().substring(OPTION.length()), found.value());
            } else {
                setting.apply(config, locks, found.value());
            }
        }));
        // A maxHold and a lease can each be valid and still not fit together, so an error here names the sources of
        // both.
        String where = Stream.of("max-hold", "lease")
                .flatMap(setting -> Stream.ofNullable(winners.get(setting)))
                .map(Found::where)
                .collect(Collectors.joining(", "));
        at(where, () -> config.lockDefaults(locks.build()));
        return config.build();
    }

    /** Runs a step, and adds the place of an error to its message. */
    private static void at(String where, Runnable step) {
        try {
            step.run();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
        }
    }

    /** A value, the property name it was found under or stands for, and where it was found. */
    private record Found(String name, String value, String where) {}

    /** Returns the value of each setting from the last source that has it; the keys are those of {@link #key}. */
    private Map<String, Found> winners() {
        Map<String, Found> winners = new TreeMap<>();
        winners.putAll(inFile());
        winners.putAll(inSystemProperties());
        winners.putAll(inEnvironment());
        return winners;
    }

    private Map<String, Found> inFile() {
        Map<String, Found> found = new TreeMap<>();
        Properties properties = readFile();
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (!isKnown(name)) {
                throw new IllegalArgumentException(
                        "\"" + name + "\" in " + file + ": there is no such setting; there are " + PREFIX
                                + String.join(", " + PREFIX, SETTINGS.keySet()) + " and " + OPTION + "<name>");
            }
            add(found, new Found(name, properties.getProperty(name), "\"" + name + "\" in " + file));
        }
        return found;
    }

    private Map<String, Found> inSystemProperties() {
        Map<String, Found> found = new TreeMap<>();
        for (String name : new TreeSet<>(systemProperties.stringPropertyNames())) {
            if (isKnown(name)) {
                add(found, new Found(name, systemProperties.getProperty(name, ""), "system property " + name));
            }
        }
        return found;
    }

    private Map<String, Found> inEnvironment() {
        Map<String, Found> found = new TreeMap<>();
        new TreeMap<>(environment).forEach((variable, value) -> {
            if (variable.startsWith(ENVIRONMENT)) {
                String name = variable.substring(ENVIRONMENT.length())
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '-');
                String property = PREFIX + (name.startsWith("option-") ? "option." + name.substring(7) : name);
                if (isKnown(property)) {
                    add(found, new Found(property, value, "environment variable " + variable));
                }
            }
        });
        return found;
    }

    private static void add(Map<String, Found> found, Found next) {
        Found other = found.put(key(next.name()), next);
        if (other != null) {
            throw new IllegalArgumentException(
                    next.where() + ": it means the same as " + other.where() + "; drop one of the two");
        }
    }

    private static boolean isKnown(String name) {
        return name.startsWith(OPTION) || (name.startsWith(PREFIX) && SETTINGS.containsKey(unprefixed(name)));
    }

    private static String unprefixed(String name) {
        return name.substring(PREFIX.length());
    }

    /** Returns the key by which settings are compared. Options keep their prefix and may be spelled in several ways. */
    private static String key(String name) {
        return name.startsWith(OPTION)
                ? OPTION + LockConfig.canonical(name.substring(OPTION.length()))
                : unprefixed(name);
    }

    private Properties readFile() {
        Properties properties = new Properties();
        if (file != null) {
            try (Reader reader = new InputStreamReader(file.openStream(), StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + file, e);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
            }
        }
        return properties;
    }

    private static int integer(String value) {
        try {
            return Integer.parseInt(value.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + value + "\" is no whole number", e);
        }
    }

    private static boolean bool(String value) {
        return switch (value.strip().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("\"" + value + "\" is neither true nor false");
        };
    }
}
