// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.run;

import dev.interlock.LockConfig;
import dev.interlock.spi.StrategyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The options of a strategy and their values, for a certificate that anybody may read. Which options are secret is not
 * declared, so that only values are shown that the strategy itself names.
 */
public final class ShownOptions {
    /** Stands for a value that may be secret. */
    public static final String HIDDEN = "(set, not shown)";

    private static final Pattern FIGURE = Pattern.compile("true|false|-?[0-9.]+ ?(ms|s|m|h|d|%)?");

    private ShownOptions() {}

    /**
     * Returns all options with their values, defaults included.
     *
     * @param known the options that the strategy has
     * @param config the configuration of its clients
     * @return the values by name; {@link #HIDDEN} for one that may be secret
     */
    public static Map<String, String> of(List<StrategyOption> known, LockConfig config) {
        Map<String, String> shown = new TreeMap<>();
        for (StrategyOption option : known) {
            String value = config.option(option.name()).orElse(option.defaultValue());
            shown.put(option.name(), isHarmless(option, value) ? value : HIDDEN);
        }
        return shown;
    }

    /**
     * Returns whether the strategy names the value itself: as the default or a value for trials, or as a word of the
     * description. A figure is shown where the default is one.
     */
    private static boolean isHarmless(StrategyOption option, String value) {
        return value.isBlank()
                || value.equals(option.defaultValue())
                || Stream.concat(option.trialValue().stream(), option.mixedValue().stream())
                        .anyMatch(value::equals)
                || (isFigure(value) && isFigure(option.defaultValue()))
                || Pattern.compile("(?<![\\w-])" + Pattern.quote(value) + "(?![\\w-])", Pattern.CASE_INSENSITIVE)
                        .matcher(option.description())
                        .find();
    }

    private static boolean isFigure(String value) {
        return FIGURE.matcher(value).matches();
    }
}
