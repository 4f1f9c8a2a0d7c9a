// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

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
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Reads a {@link LockConfig} from a properties file, system properties and the environment. */
final class ConfigSources {
    private static final String RESOURCE = "interlock.properties";
    private static final String PREFIX = "interlock.";
    private static final String OPTION = PREFIX + "option.";
    private static final String ENVIRONMENT_OPTION = "INTERLOCK_OPTION_";

    /** What each setting does to the two builders. */
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
        LockConfig.Builder config = LockConfig.builder();
        LockOptions.Builder locks = LockOptions.builder();
        eachSetting((setting, found) -> {
            try {
                if (setting.startsWith(OPTION)) {
                    config.option(setting.substring(OPTION.length()), found.value());
                } else {
                    SETTINGS.get(setting).apply(config, locks, found.value());
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(found.where() + ": " + e.getMessage(), e);
            }
        });
        return config.lockDefaults(locks.build()).build();
    }

    /** A value and where it was found. */
    private record Found(String where, String value) {}

    private void eachSetting(BiConsumer<String, Found> action) {
        Map<String, Found> winners = new TreeMap<>();
        Properties inFile = readFile();
        for (String name :
                new TreeMap<>(inFile).keySet().stream().map(Object::toString).toList()) {
            if (!name.startsWith(OPTION) && !(name.startsWith(PREFIX) && SETTINGS.containsKey(unprefixed(name)))) {
                throw new IllegalArgumentException(
                        RESOURCE + ": there is no setting \"" + name + "\"; there are interlock."
                                + String.join(", interlock.", SETTINGS.keySet()) + " and interlock.option.<name>");
            }
            winners.put(key(name), new Found("\"" + name + "\" in " + file, inFile.getProperty(name)));
        }
        for (String name : systemProperties.stringPropertyNames()) {
            if (name.startsWith(OPTION) || (name.startsWith(PREFIX) && SETTINGS.containsKey(unprefixed(name)))) {
                winners.put(key(name), new Found("system property " + name, systemProperties.getProperty(name)));
            }
        }
        environment.forEach((name, value) -> {
            if (name.startsWith(ENVIRONMENT_OPTION)) {
                String option = name.substring(ENVIRONMENT_OPTION.length()).replace('_', '-');
                winners.put(
                        key(OPTION + option.toLowerCase(Locale.ROOT)),
                        new Found("environment variable " + name, value));
            } else {
                for (String setting : SETTINGS.keySet()) {
                    if (name.equals("INTERLOCK_" + setting.replace('-', '_').toUpperCase(Locale.ROOT))) {
                        winners.put(setting, new Found("environment variable " + name, value));
                    }
                }
            }
        });
        winners.forEach(action);
    }

    private static String unprefixed(String name) {
        return name.substring(PREFIX.length());
    }

    /** Options keep their prefix; their spelling is unified so that a later source replaces an earlier one. */
    private static String key(String name) {
        return name.startsWith(OPTION)
                ? OPTION
                        + name.substring(OPTION.length())
                                .replaceAll("[._-]", "-")
                                .toLowerCase(Locale.ROOT)
                : unprefixed(name);
    }

    private Properties readFile() {
        Properties properties = new Properties();
        if (file != null) {
            try (Reader reader = new InputStreamReader(file.openStream(), StandardCharsets.UTF_8)) {
                properties.load(reader);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + file, e);
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
