// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.certificate;

import java.util.Locale;

/**
 * The outcome of one rule.
 *
 * @param chapter the number of its chapter
 * @param number its number in the chapter
 * @param name its name, a sentence in camel case
 * @param result whether the rule is kept, broken, skipped or not run
 * @param reason why it is broken or was skipped; empty otherwise
 */
public record RuleOutcome(int chapter, int number, String name, Result result, String reason) {
    /** The possible results of a rule. */
    public enum Result {
        /** The lock keeps it. */
        KEPT,
        /** The lock breaks it. */
        BROKEN,
        /** The rule depends on something that is missing. */
        SKIPPED,
        /** The rule was not part of the run. */
        NOT_RUN
    }

    /**
     * Returns the number of the rule in the contract.
     *
     * @return a number such as 4.2
     */
    public String id() {
        return chapter + "." + number;
    }

    /**
     * Returns the name of the rule in words.
     *
     * @return the words, in lower case
     */
    public String sentence() {
        return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[0-9])", " ")
                .toLowerCase(Locale.ROOT);
    }
}
