// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spi;

import dev.interlock.LockConfig;
import dev.interlock.internal.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A setting of one strategy.
 *
 * @param name its name, in lower-kebab case
 * @param defaultValue the value that is used when none is given, or how it is arrived at
 * @param description its values and what they do, in a sentence
 * @param trialValue the value to take in tests and measurements, on servers that have just been started and a machine
 *     that is busy with other things too; empty if the default will do
 * @param mixedValue another value, that some clients may have while others have the default, as happens while a new
 *     version is rolled out; empty if all clients must agree
 * @see LockConfig.Builder#option
 */
public record StrategyOption(
        String name,
        String defaultValue,
        String description,
        Optional<String> trialValue,
        Optional<String> mixedValue) {
    /**
     * Creates an option.
     *
     * @param name its name, in lower-kebab case
     * @param defaultValue the value that is used when none is given, or how it is arrived at
     * @param description its values and what they do, in a sentence
     * @param trialValue the value to take in tests and measurements, if the default will not do
     * @param mixedValue another value, that some clients may have while others have the default
     */
    public StrategyOption {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(defaultValue, "defaultValue");
        Objects.requireNonNull(description, "description");
        Objects.requireNonNull(trialValue, "trialValue");
        Objects.requireNonNull(mixedValue, "mixedValue");
    }

    /**
     * Creates an option that is left at its default in tests, and in which all clients must agree.
     *
     * @param name its name, in lower-kebab case
     * @param defaultValue the value that is used when none is given, or how it is arrived at
     * @param description its values and what they do, in a sentence
     */
    public StrategyOption(String name, String defaultValue, String description) {
        this(name, defaultValue, description, Optional.empty(), Optional.empty());
    }

    /**
     * Returns this option with a value for tests and measurements.
     *
     * @param value the value to take on servers that have just been started and a busy machine
     * @return an option like this one
     */
    public StrategyOption inTrials(String value) {
        return new StrategyOption(name, defaultValue, description, Optional.of(value), mixedValue);
    }

    /**
     * Returns this option as one in which clients need not agree.
     *
     * @param value another value, that some clients may have while others have the default
     * @return an option like this one
     */
    public StrategyOption mixedWith(String value) {
        return new StrategyOption(name, defaultValue, description, trialValue, Optional.of(value));
    }

    /**
     * Returns the value of this option in a configuration, which must be one of a few choices.
     *
     * @param config the configuration; where it does not give the option, the default value is taken
     * @param values the values that there are, in lower case
     * @return one of them; the configuration is read without regard to case
     * @throws IllegalArgumentException if the configuration has another value
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
     * Returns the value that a configuration gives to this option, which is a time such as {@code 500ms}, {@code 30s},
     * {@code 5m}, {@code 2h}, {@code 1d} or {@code PT30S}.
     *
     * @param config the configuration; where it does not give the option, the default value is taken
     * @param min the shortest time that makes sense
     * @param max the longest time that makes sense
     * @return the time, in whole milliseconds
     * @throws IllegalArgumentException if the value is no time, or lies outside {@code min} and {@code max}
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
