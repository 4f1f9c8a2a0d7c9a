// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

import dev.interlock.LockConfig;
import dev.interlock.internal.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A setting that one strategy knows and others do not.
 *
 * @param name its name, in lower-kebab case
 * @param defaultValue the value that is used when none is given, or how it is arrived at
 * @param description its values and what they do, in a sentence
 * @see LockConfig.Builder#option
 */
public record StrategyOption(String name, String defaultValue, String description) {
    /**
     * Creates an option.
     *
     * @param name its name, in lower-kebab case
     * @param defaultValue the value that is used when none is given, or how it is arrived at
     * @param description its values and what they do, in a sentence
     */
    public StrategyOption {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(defaultValue, "defaultValue");
        Objects.requireNonNull(description, "description");
    }

    /**
     * Returns the value that a configuration gives to this option, which is one of a few.
     *
     * @param config the configuration; where it does not give the option, the default value is taken
     * @param values the values that there are, in lower case
     * @return one of them; the configuration is read without regard to case
     * @throws IllegalArgumentException if it has another value
     */
    public String oneOf(LockConfig config, String... values) {
        String value = config.option(name).orElse(defaultValue).strip().toLowerCase(Locale.ROOT);
        if (!List.of(values).contains(value)) {
            throw new IllegalArgumentException(
                    "option " + name + " is \"" + value + "\": it must be " + String.join(" or ", values));
        }
        return value;
    }

    /**
     * Returns the value that a configuration gives to this option, which is a time such as {@code 500ms}, {@code 30s}, {@code 5m},
     * {@code 2h}, {@code 1d} or {@code PT30S}.
     *
     * @param config the configuration; where it does not give the option, the default value is taken
     * @param min the shortest time that makes sense
     * @param max the longest time that makes sense
     * @return the time, in whole milliseconds
     * @throws IllegalArgumentException if it is no time, or lies outside
     */
    public Duration duration(LockConfig config, Duration min, Duration max) {
        String value = config.option(name).orElse(defaultValue);
        Duration duration;
        try {
            duration = Durations.parse(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("option " + name + ": " + e.getMessage(), e);
        }
        return Durations.toMillis("option " + name, duration, min, max);
    }
}
