// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.conformance.certificate.Chapter;
import dev.interlock.tools.conformance.RuleVerdict.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which rules of the contract a strategy keeps.
 *
 * @param rules a verdict for each rule that was tried, in the order of their numbers
 * @param rounds how often each rule was tried; missing where that was once
 * @param retries how often rules tried again, in all rounds, because the machine may have stood still; missing in
 *     reports that are older than this count
 */
public record ConformanceResult(
        List<RuleVerdict> rules,
        @Nullable Integer rounds,
        @Nullable Integer retries) {
    public ConformanceResult(List<RuleVerdict> rules, int retries) {
        this(rules, null, retries);
    }

    /** Returns what several rounds of the same rules have shown: a rule is broken if it was broken in one of them. */
    public static ConformanceResult ofRounds(List<ConformanceResult> rounds) {
        if (rounds.size() == 1) {
            return rounds.get(0);
        }
        List<RuleVerdict> verdicts = new ArrayList<>();
        for (int i = 0; i < rounds.get(0).rules.size(); i++) {
            List<RuleVerdict> ofRule = new ArrayList<>();
            for (ConformanceResult round : rounds) {
                ofRule.add(round.rules.get(i));
            }
            verdicts.add(RuleVerdict.ofRounds(ofRule));
        }
        return new ConformanceResult(
                List.copyOf(verdicts),
                rounds.size(),
                rounds.stream()
                        .map(ConformanceResult::retries)
                        .filter(Objects::nonNull)
                        .reduce(Integer::sum)
                        .orElse(null));
    }

    /** How many of the broken rules were kept in some of the rounds, in a chapter. */
    public long brokenInSomeRounds(Chapter chapter) {
        return brokenInSomeRounds(verdict -> verdict.chapter() == chapter.number());
    }

    /** How many of the broken rules were kept in some of the rounds. */
    public long brokenInSomeRounds() {
        return brokenInSomeRounds(verdict -> true);
    }

    private long brokenInSomeRounds(Predicate<RuleVerdict> which) {
        return rules.stream()
                .filter(which)
                .filter(verdict -> rounds != null && verdict.brokenRounds() != null && verdict.brokenRounds() < rounds)
                .count();
    }

    /**
     * The numbers of rules by outcome.
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
