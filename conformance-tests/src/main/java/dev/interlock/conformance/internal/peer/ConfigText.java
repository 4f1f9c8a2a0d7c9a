// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A {@link LockConfig} as one line of text, passwords included, for another process. */
final class ConfigText {
    private ConfigText() {}

    static String write(LockConfig config) {
        StringBuilder line = new StringBuilder();
        add(line, "endpoints", config.endpoints().stream().map(URI::toString).collect(Collectors.joining(" ")));
        add(line, "prefix", config.keyPrefix());
        add(line, "timeout", config.commandTimeout().toString());
        add(line, "ceiling", config.waitCeiling().toString());
        add(line, "handoffs", Integer.toString(config.localHandoffs()));
        add(line, "lease", config.lockDefaults().lease().toString());
        for (String option : config.optionNames()) {
            add(line, "option." + option, config.option(option).orElseThrow());
        }
        return line.toString();
    }

    private static void add(StringBuilder line, String key, String value) {
        line.append(line.isEmpty() ? "" : " ")
                .append(PeerMain.encode(key))
                .append('=')
                .append(PeerMain.encode(value));
    }

    static LockConfig read(String line) {
        LockConfig.Builder config = LockConfig.builder();
        for (String entry : List.of(line.split(" ", -1))) {
            int equals = entry.indexOf('=');
            String key = PeerMain.decode(entry.substring(0, equals));
            String value = PeerMain.decode(entry.substring(equals + 1));
            switch (key) {
                case "endpoints" -> {
                    if (!value.isEmpty()) {
                        config.endpoints(
                                Stream.of(value.split(" ", -1)).map(URI::create).toList());
                    }
                }
                case "prefix" -> config.keyPrefix(value);
                case "timeout" -> config.commandTimeout(Duration.parse(value));
                case "ceiling" -> config.waitCeiling(Duration.parse(value));
                case "handoffs" -> config.localHandoffs(Integer.parseInt(value));
                case "lease" ->
                    config.lockDefaults(
                            LockOptions.builder().lease(Duration.parse(value)).build());
                default -> config.option(key.substring("option.".length()), value);
            }
        }
        return config.build();
    }
}
