// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.conformance.Chapter;
import dev.interlock.tools.conformance.RuleVerdict.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Which rules of the contract a strategy keeps.
 *
 * @param rules a verdict for each rule that was tried, in the order of their numbers
 */
public record ConformanceResult(List<RuleVerdict> rules) {
    /**
     * How many rules came to what.
     *
     * @param passed the number of those that are kept
     * @param failed the number of those that are broken
     * @param skipped the number of those whose needs are not met
     */
    public record Count(long passed, long failed, long skipped) {
        public long total() {
            return passed + failed + skipped;
        }
    }

    public boolean broken() {
        return all().failed() > 0;
    }

    public Count all() {
        return count(verdict -> true);
    }

    public Count chapter(Chapter chapter) {
        return count(verdict -> verdict.chapter() == chapter.number());
    }

    private Count count(Predicate<RuleVerdict> which) {
        return new Count(count(which, Outcome.PASSED), count(which, Outcome.FAILED), count(which, Outcome.SKIPPED));
    }

    private long count(Predicate<RuleVerdict> which, Outcome outcome) {
        return rules.stream()
                .filter(which)
                .filter(verdict -> verdict.outcome() == outcome)
                .count();
    }

    public List<RuleVerdict> failed() {
        return rules.stream()
                .filter(verdict -> verdict.outcome() == Outcome.FAILED)
                .toList();
    }

    /** The numbers of the rules that were skipped, by the reason why. */
    public Map<String, List<String>> skipped() {
        Map<String, List<String>> reasons = new LinkedHashMap<>();
        for (RuleVerdict verdict : rules) {
            if (verdict.outcome() == Outcome.SKIPPED) {
                reasons.computeIfAbsent(String.valueOf(verdict.message()), reason -> new ArrayList<>())
                        .add(verdict.id());
            }
        }
        return reasons;
    }

    /** A sentence for each rule of the contract that a strategy breaks. */
    public List<String> brokenRules(String strategy) {
        return failed().stream()
                .map(verdict -> "FAILED: strategy \"" + strategy + "\" breaks rule " + verdict.id() + ", "
                        + verdict.name() + ": " + verdict.message())
                .toList();
    }
}
