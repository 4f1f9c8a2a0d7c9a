// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import org.jspecify.annotations.Nullable;

/**
 * Whether a strategy keeps a rule of the contract.
 *
 * @param chapter the number of the rule's chapter
 * @param number its number in the chapter
 * @param name its name, a sentence in camel case
 * @param outcome what its test came to
 * @param message how the rule is broken, or why it was skipped; missing where it is kept
 */
record Verdict(
        int chapter,
        int number,
        String name,
        Outcome outcome,
        @Nullable String message) {
    /** What a test came to. */
    enum Outcome {
        PASSED,
        FAILED,
        SKIPPED
    }

    static Verdict of(Rule rule, Outcome outcome, @Nullable String message) {
        return new Verdict(rule.chapter().number(), rule.number(), rule.name(), outcome, message);
    }

    /** The number of the rule in the contract, such as 4.2. */
    String id() {
        return chapter + "." + number;
    }
}
