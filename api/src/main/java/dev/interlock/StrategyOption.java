// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

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
}
