// SPDX-License-Identifier: Apache-2.0
package dev.interlock.compare;

import dev.interlock.compare.Verdict.Outcome;
import dev.interlock.conformance.Chapter;
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
record ConformanceResult(List<Verdict> rules) {
    /**
     * How many rules came to what.
     *
     * @param passed the number of those that are kept
     * @param failed the number of those that are broken
     * @param skipped the number of those whose needs are not met
     */
    record Count(long passed, long failed, long skipped) {
        long total() {
            return passed + failed + skipped;
        }
    }

    boolean broken() {
        return all().failed() > 0;
    }

    Count all() {
        return count(verdict -> true);
    }

    Count chapter(Chapter chapter) {
        return count(verdict -> verdict.chapter() == chapter.number());
    }

    private Count count(Predicate<Verdict> which) {
        return new Count(count(which, Outcome.PASSED), count(which, Outcome.FAILED), count(which, Outcome.SKIPPED));
    }

    private long count(Predicate<Verdict> which, Outcome outcome) {
        return rules.stream()
                .filter(which)
                .filter(verdict -> verdict.outcome() == outcome)
                .count();
    }

    List<Verdict> failed() {
        return rules.stream()
                .filter(verdict -> verdict.outcome() == Outcome.FAILED)
                .toList();
    }

    /** The numbers of the rules that were skipped, by the reason why. */
    Map<String, List<String>> skipped() {
        Map<String, List<String>> reasons = new LinkedHashMap<>();
        for (Verdict verdict : rules) {
            if (verdict.outcome() == Outcome.SKIPPED) {
                reasons.computeIfAbsent(String.valueOf(verdict.message()), reason -> new ArrayList<>())
                        .add(verdict.id());
            }
        }
        return reasons;
    }
}
