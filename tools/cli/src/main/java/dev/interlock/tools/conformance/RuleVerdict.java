// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of a rule of the contract on a strategy.
 *
 * @param chapter the number of the rule's chapter
 * @param number its number in the chapter
 * @param name its name, a sentence in camel case
 * @param outcome the outcome of its test
 * @param message how the rule is broken, or why it was skipped; missing where it is kept
 * @param brokenRounds in how many rounds the rule was broken, if it was and there were several; otherwise missing
 */
public record RuleVerdict(
        int chapter,
        int number,
        String name,
        Outcome outcome,
        @Nullable String message,
        @Nullable Integer brokenRounds) {
    public RuleVerdict(int chapter, int number, String name, Outcome outcome, @Nullable String message) {
        this(chapter, number, name, outcome, message, null);
    }

    /** The outcome of a test. */
    public enum Outcome {
        PASSED,
        FAILED,
        SKIPPED
    }

    public static RuleVerdict of(Rule rule, Outcome outcome, @Nullable String message) {
        return new RuleVerdict(rule.chapter().number(), rule.number(), rule.name(), outcome, message);
    }

    /** Returns the verdict of several rounds, of which the first that broke the rule says how. */
    static RuleVerdict ofRounds(List<RuleVerdict> rounds) {
        List<RuleVerdict> broken = ofOutcome(rounds, Outcome.FAILED);
        if (broken.isEmpty()) {
            List<RuleVerdict> kept = ofOutcome(rounds, Outcome.PASSED);
            return kept.isEmpty() ? rounds.get(0) : kept.get(0);
        }
        RuleVerdict first = broken.get(0);
        return new RuleVerdict(
                first.chapter,
                first.number,
                first.name,
                Outcome.FAILED,
                (broken.size() == rounds.size() ? "in each of " : "in " + broken.size() + " of ") + rounds.size()
                        + " rounds: " + first.message,
                broken.size());
    }

    private static List<RuleVerdict> ofOutcome(List<RuleVerdict> verdicts, Outcome outcome) {
        return verdicts.stream().filter(verdict -> verdict.outcome == outcome).toList();
    }

    /** The number of the rule in the contract, such as 4.2. */
    public String id() {
        return chapter + "." + number;
    }
}
