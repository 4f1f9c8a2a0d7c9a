// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import org.jspecify.annotations.Nullable;

/**
 * The verdict of a rule of the contract on a strategy.
 *
 * @param chapter the number of the rule's chapter
 * @param number its number in the chapter
 * @param name its name, a sentence in camel case
 * @param outcome the outcome of its test
 * @param message how the rule is broken, or why it was skipped; missing where it is kept
 */
public record RuleVerdict(
        int chapter,
        int number,
        String name,
        Outcome outcome,
        @Nullable String message) {
    /** The outcome of a test. */
    public enum Outcome {
        PASSED,
        FAILED,
        SKIPPED
    }

    public static RuleVerdict of(Rule rule, Outcome outcome, @Nullable String message) {
        return new RuleVerdict(rule.chapter().number(), rule.number(), rule.name(), outcome, message);
    }

    /** The number of the rule in the contract, such as 4.2. */
    public String id() {
        return chapter + "." + number;
    }
}
