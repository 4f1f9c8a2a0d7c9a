// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes verdicts stand out on a terminal. */
final class Colours {
    /** Set to {@code on} by the launcher where standard output is a terminal, which Java 17 cannot find out. */
    static final String PROPERTY = "interlock.compare.color";

    private static final Pattern WORD = Pattern.compile("\\b(safe|blocked|detected|fenced|violated|FAILED)\\b");
    private static final String RESET = "\u001b[0m";

    private Colours() {}

    /** Whether the user wants colours, as far as is known. */
    static boolean areWanted(boolean refused) {
        return !refused
                && System.getProperty(PROPERTY, "").equals("on")
                && System.getenv().getOrDefault("NO_COLOR", "").isEmpty();
    }

    static String paint(String text) {
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
