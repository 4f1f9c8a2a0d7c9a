// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.report;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Colours the verdicts on a terminal. */
public final class Colours {
    /** Set to {@code on} by the launcher where standard output is a terminal, which Java 17 cannot find out. */
    public static final String PROPERTY = "interlock.color";

    private static final Pattern WORD =
            Pattern.compile("\\b(safe|blocked|detected|fenced|violated|undecided|FAILED)\\b");
    private static final String RESET = "\u001b[0m";

    private Colours() {}

    /**
     * Returns whether the user wants colours, as far as is known.
     *
     * @param refused whether the command line refuses them
     * @param terminal the value of the {@link #PROPERTY}, which may be missing
     * @param environment the environment of this process
     */
    public static boolean areWanted(boolean refused, @Nullable String terminal, Map<String, String> environment) {
        return !refused
                && "on".equals(terminal)
                && environment.getOrDefault("NO_COLOR", "").isEmpty();
    }

    public static String paint(String text) {
        return WORD.matcher(text)
                .replaceAll(word -> Matcher.quoteReplacement(colour(word.group()) + word.group() + RESET));
    }

    private static String colour(String word) {
        return switch (word) {
            case "safe" -> "\u001b[32m";
            case "blocked" -> "\u001b[36m";
            case "detected", "fenced" -> "\u001b[33m";
            default -> "\u001b[31m";
        };
    }
}
